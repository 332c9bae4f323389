package gate

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"
)

// Cause of a time-out.
type Cause string

const (
	Resources  Cause = "resources"   // memory, files, space or processor time ran out
	Deadlock   Cause = "deadlock"    // it stood still and did not even stop when told to
	ModelStall Cause = "model-stall" // a model did not answer
	Dependency Cause = "dependency"  // something outside did not answer: a command, a service
)

// A TimeoutError says that a gate (or an executor) did not answer in time, and probably why.
type TimeoutError struct {
	Name     string
	Limit    time.Duration
	Cause    Cause
	Evidence string
	Proven   bool // the cause is shown by an error of the system or by the gate's own word; else it is the best guess
}

func (e *TimeoutError) Error() string {
	text := fmt.Sprintf("gate: %q gave no answer within %v (%s", e.Name, e.Limit, e.Cause)
	if e.Evidence != "" {
		text += ": " + e.Evidence
	}
	return text + ")"
}

// A wait is something that a gate waits for at this moment.
type wait struct {
	cause Cause
	what  string
	vouch bool // the gate itself says so
}

// Waiting says what the gate is about to wait for, so that a time-out meanwhile is put down to it. Call
// done when it came. Commands run through Runner are seen without it, but only a gate's own word counts as proof of a
// cause: a command may hang because of what the step did.
func (p *Pass) Waiting(cause Cause, what string) (done func()) {
	return p.waiting(&wait{cause: cause, what: what, vouch: true})
}

func (p *Pass) waiting(w *wait) func() {
	r := p.reporting()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waits = append(r.waits, w)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if i := slices.Index(r.waits, w); i >= 0 {
			r.waits = slices.Delete(r.waits, i, i+1)
		}
	}
}

// innermost is what was begun last and has not come.
func (r *report) innermost() *wait {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waits) == 0 {
		return nil
	}
	return r.waits[len(r.waits)-1]
}

// exhausted are the errors by which a system says that something ran out.
var exhausted = []error{syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE, syscall.ENOSPC, syscall.EDQUOT}

// RanOut reports whether err says that the machine ran out of memory, open files or space, and in which words.
func RanOut(err error) (what string, ok bool) {
	for _, e := range exhausted {
		if errors.Is(err, e) {
			return e.Error(), true
		}
	}
	return "", false
}

// A stop is how a gate behaved when its time was up.
type stop struct {
	limit    time.Duration
	waiting  *wait
	answered bool          // it returned when told to stop
	err      error         // what it then returned
	cpu      time.Duration // used by this process meanwhile
	cpuKnown bool
}

// classify puts a time-out down to a cause. Evidence is taken in the order of its strength: an error of the
// system, the gate's own word, a command that was running, and only then a guess from how it behaved.
func classify(name string, s stop) *TimeoutError {
	e := &TimeoutError{Name: name, Limit: s.limit}
	what, ranOut := RanOut(s.err)
	switch {
	case ranOut:
		e.Cause, e.Evidence, e.Proven = Resources, what, true
	case s.waiting != nil:
		e.Cause, e.Evidence, e.Proven = s.waiting.cause, "it was waiting for "+s.waiting.what, s.waiting.vouch
	case s.answered:
		e.Cause, e.Evidence = Dependency, "it stopped when told to, without having said what it waited for"
	case s.cpuKnown && s.cpu > s.limit/4:
		e.Cause, e.Evidence = Resources, fmt.Sprintf("it did not stop when told to, and this process computed for %v meanwhile", s.cpu.Round(time.Millisecond))
	default:
		e.Cause, e.Evidence = Deadlock, "it did not stop when told to, and hardly computed"
	}
	return e
}
