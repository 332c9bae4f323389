package recovery

import (
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
)

// A Class says what may follow a failure of a class.
type Class struct {
	Class history.Class
	Cause gate.Cause // of a time-out; "" for the others, and for a time-out of which the cause is not known
	// Retry is set if the same method may be tried again: the failure is none
	// that it must meet again. A class that is not retryable is final for the
	// method.
	Retry bool
	// Other is set if another method could end otherwise.
	Other bool
	// Wait is set if time alone may mend it.
	Wait bool
	// Judged is set if somebody looked at the result and said what is wrong
	// with it.
	Judged bool
	Means  string
}

// Classes are all classes of failure, with what may follow them. A time-out is
// a reason to retry only where its cause is provably none of what the method
// does.
func Classes() []Class {
	const retry, other, wait, judged = true, true, true, true
	const no = false
	return []Class{
		{history.TimedOut, gate.Resources, retry, other, wait, no, "it did not end in time: memory, files, space or processor time ran out; once more, after a while"},
		{history.TimedOut, gate.Dependency, retry, other, wait, no, "it did not end in time: something outside did not answer; it may, after a while"},
		{history.TimedOut, gate.Deadlock, no, other, no, no, "it did not end in time: it stood still, and would again"},
		{history.TimedOut, gate.ModelStall, no, other, no, no, "it did not end in time: a model did not answer; another may"},
		{history.TimedOut, "", no, other, no, no, "it did not end in time, and nobody knows why"},
		{history.Refused, "", no, no, no, judged, "it was not allowed to begin"},
		{history.Breach, "", retry, other, no, judged, "it did something else than it declared"},
		{history.GateFailed, "", retry, other, no, judged, "a gate did not accept it"},
		{history.SchemaMismatch, "", retry, other, no, judged,
			"its output does not have the form that the step expects"},
		{history.MissingEvidence, "", retry, other, no, judged, "evidence that it owes is not there"},
		{history.Crashed, "", retry, other, no, no, "the executor failed"},
		{history.OutOfMemory, "", no, other, no, no, "it needed more memory than there is: the same method would need as much again"},
		{history.Exhausted, "", no, other, no, no, "it used up the processor time or the disk that its sandbox allows: the same method would again"},
		{history.ContextExhausted, "", no, other, no, no, "the executor's context was too small for it, also when it began afresh"},
		{history.Declined, "", no, other, no, no, "its executor does not do steps of this kind: another one may"},
		{history.Lost, "", retry, other, no, no, "the controller ended during the attempt"},
		{history.Undecided, "", no, no, no, no, "a gate could not decide"},
		{history.NoSpace, "", no, no, no, no, "the disk is full"},
		{history.Met, "", retry, other, no, no, "steps that ran at once do not go together"},
		{history.Moved, "", no, no, no, no, "what the run depends on moved"},
		{history.Nondeterministic, "", no, no, no, no, "the same inputs made another tree before"},
		{history.Unrestorable, "", no, no, no, no, "something changed that is never restored"},
		{history.NotServed, "", no, no, wait, no, "whoever serves its executor would not for some time; it is waited for"},
		{history.OverBudget, "", no, no, no, no, "what the run may cost was spent while it was under way"},
		{history.Interrupted, "", no, no, no, no, "a person stopped the run"},
	}
}

// classOf finds the row of a failure. A class that nobody knows is final.
func classOf(f *history.AttemptFailed) Class {
	all := Classes()
	at := slices.IndexFunc(all, func(c Class) bool { return c.Class == f.Class && c.Cause == f.Cause })
	if at < 0 {
		at = slices.IndexFunc(all, func(c Class) bool { return c.Class == f.Class && c.Cause == "" })
	}
	if at < 0 {
		return Class{Class: f.Class, Cause: f.Cause}
	}
	return all[at]
}
