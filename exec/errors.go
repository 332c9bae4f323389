package exec

import (
	"errors"
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/attempt"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/exec/internal/session"
)

// ErrContextExhausted is wrapped by an executor's error to say that its context
// is full: the attempt is undone, and a fresh one begins from the same
// checkpoint with [Outcome.Summary] as feedback, three times at most.
var ErrContextExhausted = attempt.ErrContextExhausted

// ErrDeclined is wrapped by an executor's error to say that it does not do steps of
// this kind, whoever asks however often: the attempt is undone (class "declined"),
// the same method is not tried again, and a backup is for others to do.
var ErrDeclined = attempt.ErrDeclined

// ErrWaiting says that a run waits, for an answer or to be resumed.
var ErrWaiting = session.ErrWaiting

// ErrHandoff says that the token budget of a session is used up to four fifths:
// the run waits to be resumed, with a fresh count. It is an [ErrWaiting] as
// well.
var ErrHandoff = session.ErrHandoff

// A Stop is the cause that a host ends the context of a run with, to say in the
// journal who wants it to stop, and why.
//
//	ctx, cancel := context.WithCancelCause(ctx)
//	cancel(&exec.Stop{By: "anna", Why: "the machine is needed"})
type Stop = session.Stop

// An OutcomeError says that a run ended, and not as planned.
type OutcomeError struct {
	Run     string
	Status  history.Status // Partial or NotAchieved
	Reasons []string
}

// reasonsSaid is how many reasons the text of an error names; the error itself
// and the report have all of them.
const reasonsSaid = 12

func (e *OutcomeError) Error() string {
	return fmt.Sprintf("exec: run %s ended %s: %s", e.Run, e.Status, strings.Join(bound.First(e.Reasons, reasonsSaid), "; "))
}

// A RefusedError says that a run may not begin or go on, and what would have to
// be otherwise. Nothing was changed, or nothing more: completed steps stay.
type RefusedError struct {
	Run     string          // "" if it did not begin
	Reasons []string        // each names what moved, from what to what
	Hint    string          // what to do next, in plain English; may be empty
	Actions []action.Action // what can be done besides what Hint says
	Err     error           // what it was found by; may be nil
}

func (e *RefusedError) Error() string { return (*session.Refusal)(e).Error() }

// Unwrap returns what the refusal was found by.
func (e *RefusedError) Unwrap() error { return e.Err }

// An AbsentError says that a plan names somebody who takes no part: an executor
// (Controller.Executors), a reviewer (Controller.Reviewers) or a gate
// (Controller.Gates).
type AbsentError struct {
	Role string // "executor", "reviewer" or "gate"
	Name string // "" for the default executor
}

func (e *AbsentError) Error() string {
	if e.Name == "" {
		return "exec: a step names no " + e.Role + ", and there is no default one"
	}
	return fmt.Sprintf("exec: the plan names the %s %q, and none of that name takes part", e.Role, e.Name)
}

// A PanicError says that code of the host panicked, in whichever port: the
// workspace was let go, and what was under way is undone when the run is
// resumed.
type PanicError = home.PanicError

// public makes an error one that hosts know: *err is what a method of the
// controller returns. It is deferred, and so catches a panic of the host.
func public(err *error) {
	if p := recover(); p != nil {
		*err = home.Panicked(p)
	}
	known(err)
}

// reported is public for methods that return a report, which is never nil.
func reported(report **Report, err *error) {
	if p := recover(); p != nil {
		*err = home.Panicked(p)
	}
	if *report == nil {
		*report = &Report{Run: &history.Run{}}
	}
	known(err)
}

// known turns a refusal from within into the one that hosts know, wherever it
// stands in the chain.
func known(err *error) {
	var refused *session.Refusal
	switch {
	case !errors.As(*err, &refused):
	case *err == error(refused):
		*err = (*RefusedError)(refused)
	default:
		*err = errors.Join((*RefusedError)(refused), *err)
	}
}

// outcome is the error that a run's end stands for.
func outcome(run *history.Run) error {
	switch {
	case run.Ended == nil:
		return ErrWaiting
	case run.Ended.Status == history.Achieved:
		return nil
	}
	return &OutcomeError{Run: run.Started.Run, Status: run.Ended.Status, Reasons: run.Ended.Reasons}
}
