package gate

import (
	"sync"
)

// A report collects what one gate says about one pass. Once closed it takes
// nothing more: a gate that answers after its time is not heard.
type report struct {
	mu      sync.Mutex
	closed  bool
	failed  bool
	partly  bool // it says that something is only partly as it should be
	idle    bool // it says that there is nothing to judge
	looked  bool // it says something else
	verdict Verdict
	limited limited
	waits   []*wait
}

// add changes the verdict: the gate has looked at something. What a gate says
// after its time was up counts no more.
func (r *report) add(do func(v *Verdict)) { r.note(&r.looked, do) }

// note changes the verdict, and marks why.
func (r *report) note(mark *bool, do func(v *Verdict)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		*mark = true
		do(&r.verdict)
	}
}

// A wait is something that a gate waits for.
type wait struct {
	cause   Cause
	what    string
	vouched bool // the gate itself says so; else it was seen to run a command
}
