// Package event says what happens in a run, to whoever watches it.
//
// A controller calls its Observe function with an [Event] while it works;
// exec.Workspace.Follow yields the events of a run that may be carried out by
// another process, or be over. Both tell of a recorded fact in the same way: by
// its place in the journal, which survives every restart.
//
//	Observe: func(_ context.Context, e event.Event) {
//		switch f := e.Fact.(type) {
//		case *history.StepCompleted:
//			log.Printf("%s is done by %s", e.Step, f.Method)
//		case *history.StepFailed:
//			log.Printf("%s failed: %s", e.Step, f.Class)
//		}
//	}
package event

import (
	"context"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// A Kind says what an [Event] tells.
type Kind string

// Kinds of events that tell of a fact in the journal. Those after Recorded are
// facts as well, which most hosts want to know apart.
const (
	Recorded  Kind = "recorded"  // any other fact
	Waiting   Kind = "waiting"   // the controller let go of the run, which waits for an answer
	Paused    Kind = "paused"    // it let go for another reason: the fact says why
	Cancelled Kind = "cancelled" // it let go because somebody wanted it to stop
	Ended     Kind = "ended"     // nothing follows
)

// Kinds of events that are told by the controller alone, while they happen.
const (
	Judging Kind = "judging" // the gates of Phase are about to be asked; in phase before a step begins with it
	Asking  Kind = "asking"  // Question is put to the escalator, perhaps once more
	Output  Kind = "output"  // an executor printed Output
	Warning Kind = "warning" // Text went wrong, without consequences for the run
	// Activity is what an executor is at, in Text: "editing server/limit.go". It is
	// told a few times a second at most, and the last one is.
	Activity Kind = "activity"
)

// An Event is something that happened in a run. What it points to must not be
// changed, and State and Output are valid only during the call.
type Event struct {
	Kind Kind
	Run  string
	// Seq is the place of the fact in the journal of the run: from 1, without
	// gaps. An event that is no fact has that of the latest one.
	Seq  uint64
	Time time.Time // of that record
	// Step and Attempt are what it is about; zero for the run, and the step, as
	// a whole.
	Step    plan.Address
	Attempt int

	Fact   history.Fact   // nil unless it stands in the journal
	Record *record.Record // that holds Fact
	State  *history.Run   // as of now, which may be later than the fact

	Phase    gate.Phase      // Judging
	Question *ask.Question   // Asking
	Output   []byte          // Output
	Text     string          // Warning, in plain words; Activity, in those of the executor: one line, bounded
	Actions  []action.Action // Warning: what can be done about it
}

// OfStep is the state of the step that an event is about; nil if it is about
// the run as a whole.
func (e Event) OfStep() *history.Step { return e.State.Step(e.Step) }

// Of is the event of a fact that stands in a record of a run. State is the run
// with that record folded in.
func Of(state *history.Run, rec record.Record, f history.Fact) Event {
	return Event{Kind: kindOf(f), Run: state.Started.Run, Seq: rec.Seq, Time: rec.Time, Step: plan.Address(rec.Step),
		Attempt: rec.Attempt, Fact: f, Record: &rec, State: state}
}

// kindOf is what a fact means to who watches. Most facts are just recorded; a
// pause is told by its reason.
func kindOf(f history.Fact) Kind {
	switch f := f.(type) {
	case *history.Sealed:
		return Ended
	case *history.Paused:
		switch {
		case f.Why == "waiting":
			return Waiting
		case f.Why == "interrupted", strings.HasPrefix(f.Why, "stopped"):
			return Cancelled
		}
		return Paused
	}
	return Recorded
}

// On makes a function that watches a run of one that wants to know of facts of
// one type.
func On[F history.Fact](do func(Event, F)) func(context.Context, Event) {
	return func(_ context.Context, e Event) {
		if f, ok := e.Fact.(F); ok {
			do(e, f)
		}
	}
}
