package history

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/plan"
)

// facts are all facts that a journal may hold. Whoever adds one adds a line
// here; see docs/journal-and-store.md.
func facts() []func() Fact {
	return []func() Fact{
		// the run
		fact[Started], fact[Resumed], fact[PolicyChanged], fact[MovesAccepted], fact[Amended],
		fact[StopRequested], fact[Paused], fact[Abandoned], fact[Ended], fact[Sealed], fact[RolledBack],
		fact[Disowned], fact[KeyChanged],
		// the workspace of a run that works in a layer
		fact[DeliveryBegun], fact[Delivered], fact[Foreign], fact[Settled], fact[Unversioned], fact[Committed],
		// how it is carried out
		fact[StrategySet], fact[PhaseOver], fact[Budget], fact[ModeSwitched],
		// steps at once
		fact[GroupBegun], fact[Joined], fact[JoinFailed],
		// a step
		fact[StepStarted], fact[StepCompleted], fact[StepCarried], fact[StepFailed],
		fact[StepSkipped], fact[StepBlocked], fact[Lesson],
		// an attempt
		fact[AttemptStarted], fact[AttemptEnded], fact[Telemetry], fact[Accounted], fact[Differs], fact[Repeated],
		fact[Cycle], fact[JobDone],
		fact[Judged], fact[Controlled], fact[AttemptFailed],
		// after a failure
		fact[RestoreBegun], fact[Restored], fact[Compensated], fact[Recovery], fact[Advised], fact[Patched],
		// people
		fact[Asked], fact[Answered], fact[Unanswered], fact[Addendum], fact[Remembered],
		// tasks
		fact[Compliance], fact[Approval], fact[Evidence], fact[EvidenceRetry], fact[TaskOver], fact[TaskOutcome],
	}
}

// fact makes an empty fact of a type.
func fact[T any, P interface {
	*T
	Fact
}]() Fact {
	return P(new(T))
}

// makers are the facts by their types.
var makers = sync.OnceValue(func() map[string]func() Fact {
	byType := map[string]func() Fact{}
	for _, empty := range facts() {
		byType[empty().Type()] = empty
	}
	return byType
})

// blank is an empty fact of a type, or nil if there is no such type.
func blank(name string) Fact {
	if empty := makers()[name]; empty != nil {
		return empty()
	}
	return nil
}

// Types are the names of all facts, in the order of the table: those of the
// run, of steps, of attempts and so on.
func Types() []string {
	var names []string
	for _, empty := range facts() {
		names = append(names, empty().Type())
	}
	return names
}

// Decode reads the fact of a record: a pointer to one of the types of this
// package. *UnknownError if there is none of that name.
func Decode(r record.Record) (Fact, error) {
	f := blank(r.Type)
	if f == nil {
		return nil, &UnknownError{Seq: r.Seq, Type: r.Type}
	}
	if err := unmarshal(r.Data, f); err != nil {
		return nil, unreadable(r, err)
	}
	return f, nil
}

// unmarshal is json.Unmarshal, and the reverse of marshal.
func unmarshal(data []byte, f Fact) error {
	if u, ok := f.(json.Unmarshaler); ok {
		return u.UnmarshalJSON(data)
	}
	return json.Unmarshal(data, f)
}

func unreadable(r record.Record, err error) error {
	return fmt.Errorf("history: record %d (%s): %w", r.Seq, r.Type, err)
}

// An UnknownError says that a record is of a type that this version does not
// know.
type UnknownError struct {
	Seq  uint64
	Type string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("history: record %d is of the unknown type %q: it was written by a newer version", e.Seq, e.Type)
}

// A Query picks records of a journal. The zero value picks all of them.
type Query struct {
	Step    plan.Address // only of this step
	Attempt int          // only of this attempt
	Types   []string     // only of these types
	Since   time.Time    // only from then on
	Until   time.Time    // only before then
}

// Matches reports whether the query picks a record.
func (q Query) Matches(rec record.Record) bool {
	return (q.Step == "" || rec.Step == string(q.Step)) && (q.Attempt == 0 || rec.Attempt == q.Attempt) &&
		(len(q.Types) == 0 || slices.Contains(q.Types, rec.Type)) &&
		!rec.Time.Before(q.Since) && (q.Until.IsZero() || rec.Time.Before(q.Until))
}

// Select yields the records that the query picks, in order. It reads no more of
// records than is asked for, and hands on the error that ends them.
func (q Query) Select(records iter.Seq2[record.Record, error]) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		for rec, err := range records {
			if err != nil {
				yield(rec, err)
				return
			}
			if q.Matches(rec) && !yield(rec, nil) {
				return
			}
		}
	}
}
