package history

import (
	"encoding/json"
	"fmt"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/plan"
)

// A Fact is something that happened in a run.
type Fact interface {
	// Type is the name of the fact in the journal.
	Type() string
}

// Where a fact belongs: a step and one of its attempts, or the run as a whole.
type Where struct {
	Step    plan.Address
	Attempt int // 0: the step as a whole
}

// Encode makes a journal fact.
func Encode(w Where, f Fact) (checkpoint.Fact, error) {
	data, err := marshal(f)
	if err != nil {
		return checkpoint.Fact{}, fmt.Errorf("history: fact %s: %w", f.Type(), err)
	}
	return checkpoint.Fact{Type: f.Type(), Step: string(w.Step), Attempt: w.Attempt, Data: data}, nil
}

// An UnknownError says that a record is of a type that this version does not know.
type UnknownError struct {
	Seq  uint64
	Type string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("history: record %d is of the unknown type %q: it was written by a newer version", e.Seq, e.Type)
}

// Decode reads the fact of a record: a pointer to one of the types of this
// package. *UnknownError if there is none of that name.
func Decode(r checkpoint.Record) (Fact, error) {
	f := blank(r.Type)
	if f == nil {
		return nil, &UnknownError{Seq: r.Seq, Type: r.Type}
	}
	if err := unmarshal(r.Data, f); err != nil {
		return nil, unreadable(r, err)
	}
	return f, nil
}

func unreadable(r checkpoint.Record, err error) error {
	return fmt.Errorf("history: record %d (%s): %w", r.Seq, r.Type, err)
}

// marshal is json.Marshal, for what spells itself without looking over it once more: the facts that do, do it with package json.
func marshal(f Fact) ([]byte, error) {
	if m, ok := f.(json.Marshaler); ok {
		return m.MarshalJSON()
	}
	return json.Marshal(f)
}

// unmarshal is json.Unmarshal, and the reverse of marshal.
func unmarshal(data []byte, f Fact) error {
	if u, ok := f.(json.Unmarshaler); ok {
		return u.UnmarshalJSON(data)
	}
	return json.Unmarshal(data, f)
}

func blank(name string) Fact {
	switch name {
	case "run-started":
		return new(Started)
	case "run-resumed":
		return new(Resumed)
	case "checkpoint":
		return new(StepStarted)
	case "gate":
		return new(Gates)
	case "attempt-started":
		return new(AttemptStarted)
	case "attempt-ended":
		return new(AttemptEnded)
	case "ledger":
		return new(Accounted)
	case "step-completed":
		return new(StepCompleted)
	case "attempt-failed":
		return new(AttemptFailed)
	case "restore-begun":
		return new(RestoreBegun)
	case "restored":
		return new(Restored)
	case "compensated":
		return new(Compensated)
	case "recovery":
		return new(Recovery)
	case "question":
		return new(Asked)
	case "answer":
		return new(Answered)
	case "unanswered":
		return new(Unanswered)
	case "mode":
		return new(ModeSwitched)
	case "advice":
		return new(Advised)
	case "patch":
		return new(Patched)
	case "lesson":
		return new(Lesson)
	case "addendum":
		return new(Addendum)
	case "amended":
		return new(Amended)
	case "remembered":
		return new(Remembered)
	case "strategy":
		return new(StrategySet)
	case "phase":
		return new(PhaseOver)
	case "cycle":
		return new(Cycle)
	case "budget":
		return new(Budget)
	case "differs":
		return new(Differs)
	case "task-over":
		return new(TaskOver)
	case "step-failed":
		return new(StepFailed)
	case "step-skipped":
		return new(StepSkipped)
	case "step-blocked":
		return new(StepBlocked)
	case "paused":
		return new(Paused)
	case "rolled-back":
		return new(RolledBack)
	case "run-ended":
		return new(Ended)
	case "delivered":
		return new(Delivered)
	case "sealed":
		return new(Sealed)
	case "approval":
		return new(Approval)
	case "telemetry":
		return new(Telemetry)
	case "evidence":
		return new(Evidence)
	case "evidence-retry":
		return new(EvidenceRetry)
	case "outcome":
		return new(TaskOutcome)
	case "compliance":
		return new(Compliance)
	}
	return nil
}

func (*Started) Type() string        { return "run-started" }
func (*Resumed) Type() string        { return "run-resumed" }
func (*StepStarted) Type() string    { return "checkpoint" }
func (*Gates) Type() string          { return "gate" }
func (*AttemptStarted) Type() string { return "attempt-started" }
func (*AttemptEnded) Type() string   { return "attempt-ended" }
func (*Accounted) Type() string      { return "ledger" }
func (*StepCompleted) Type() string  { return "step-completed" }
func (*AttemptFailed) Type() string  { return "attempt-failed" }
func (*RestoreBegun) Type() string   { return "restore-begun" }
func (*Restored) Type() string       { return "restored" }
func (*Compensated) Type() string    { return "compensated" }
func (*Recovery) Type() string       { return "recovery" }
func (*Asked) Type() string          { return "question" }
func (*Answered) Type() string       { return "answer" }
func (*Unanswered) Type() string     { return "unanswered" }
func (*ModeSwitched) Type() string   { return "mode" }
func (*Advised) Type() string        { return "advice" }
func (*Patched) Type() string        { return "patch" }
func (*Lesson) Type() string         { return "lesson" }
func (*Addendum) Type() string       { return "addendum" }
func (*Amended) Type() string        { return "amended" }
func (*Remembered) Type() string     { return "remembered" }
func (*StepFailed) Type() string     { return "step-failed" }
func (*StepSkipped) Type() string    { return "step-skipped" }
func (*StepBlocked) Type() string    { return "step-blocked" }
func (*Paused) Type() string         { return "paused" }
func (*RolledBack) Type() string     { return "rolled-back" }
func (*Ended) Type() string          { return "run-ended" }
func (*Delivered) Type() string      { return "delivered" }
func (*Sealed) Type() string         { return "sealed" }
func (*Approval) Type() string       { return "approval" }
func (*Telemetry) Type() string      { return "telemetry" }
func (*Evidence) Type() string       { return "evidence" }
func (*EvidenceRetry) Type() string  { return "evidence-retry" }
func (*TaskOutcome) Type() string    { return "outcome" }
func (*Compliance) Type() string     { return "compliance" }
