package gate

import (
	"fmt"
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

// A TimeoutError says that a gate (or an executor) did not answer in time, and
// probably why.
type TimeoutError struct {
	Name     string
	Limit    time.Duration
	Cause    Cause
	Evidence string
	Step     bool // it is a step, whose executor did not answer
	Proven   bool // an error of the system or the gate's own word shows the cause; else it is the best guess
}

func (e *TimeoutError) Error() string {
	text := fmt.Sprintf("gate: %q", e.Name)
	if e.Step {
		text = e.Name
	}
	text += fmt.Sprintf(" gave no answer within %v", e.Limit)
	switch {
	case e.Cause != "" && e.Evidence != "":
		text += fmt.Sprintf(" (%s: %s)", e.Cause, e.Evidence)
	case e.Cause != "" || e.Evidence != "":
		text += fmt.Sprintf(" (%s%s)", e.Cause, e.Evidence)
	}
	return text
}

// A PanicError says that a gate panicked.
type PanicError struct {
	Name  string
	Value string // what it panicked with
	Stack string
}

func (e *PanicError) Error() string { return fmt.Sprintf("gate: %q panicked: %s", e.Name, e.Value) }
