package panel

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/planlock/planlock/gate"
)

// exhausted are the errors by which a system says that something ran out.
var exhausted = []error{syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE, syscall.ENOSPC, syscall.EDQUOT}

// ranOut reports whether err says that the machine ran out of memory, open
// files or space, and in which words.
func ranOut(err error) (what string, ok bool) {
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
	cause    gate.Cause    // of what it was waiting for; empty: it waited for nothing
	what     string        // it was waiting for
	vouched  bool          // it said so itself
	answered bool          // it returned when told to stop
	err      error         // what it then returned
	cpu      time.Duration // used by this process meanwhile
	cpuKnown bool
}

// classify puts a time-out down to a cause. Evidence is taken in the order of
// its strength: an error of the system, the gate's own word, a command that was
// running, and only then a guess from how it behaved.
func classify(name string, s stop) *gate.TimeoutError {
	e := &gate.TimeoutError{Name: name, Limit: s.limit}
	what, out := ranOut(s.err)
	switch {
	case out:
		e.Cause, e.Evidence, e.Proven = gate.Resources, what, true
	case s.cause != "":
		e.Cause, e.Evidence, e.Proven = s.cause, "it was waiting for "+s.what, s.vouched
	case s.answered:
		e.Cause, e.Evidence = gate.Dependency, "it stopped when told to, without having said what it waited for"
	case s.cpuKnown && s.cpu > s.limit/4:
		e.Cause, e.Evidence = gate.Resources, fmt.Sprintf("it did not stop when told to, and this process computed for %v meanwhile", s.cpu.Round(time.Millisecond))
	default:
		e.Cause, e.Evidence = gate.Deadlock, "it did not stop when told to, and hardly computed"
	}
	return e
}
