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
	verdict Verdict
	limited limited
	waits   []*wait
}

// add changes the verdict. What a gate says after its time was up counts no
// more.
func (r *report) add(do func(v *Verdict)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		do(&r.verdict)
	}
}

// A wait is something that a gate waits for.
type wait struct {
	cause   Cause
	what    string
	vouched bool // the gate itself says so; else it was seen to run a command
}
