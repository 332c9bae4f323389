package engine

import (
	"time"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// A Wanted is something that should be under way. Its step tells whom it
// concerns: "" is the run as a whole.
type Wanted struct {
	Step    plan.Address
	Attempt int    // of the step; 0: the step as a whole
	Guard   string // that does not let the step pass because of it; "": none
	Action  Action
}

// An Action is what is to be done about a step or the run: one of the types of
// this file.
type Action interface{ action() }

// Record appends facts that follow from the history, all or none.
type Record struct{ Facts []history.Located }

// Look finds out whether an observation holds.
type Look struct{ What guard.Observation }

// Put asks the question that is open, and settles its answer
// ([Decider.Settle]).
type Put struct{ Question ask.Question }

// Begin asks the gates of phase before whether the step may begin, and records
// its checkpoint.
type Begin struct{ Start *history.StepStarted }

// Attempt carries out a method of the step, accounts for what it did, and has
// it judged.
type Attempt struct{ Method string }

// Group begins attempts of several steps at once, each in a lane, and waits for
// all of them.
type Group struct{ Members []Member }

// A Member is a step of a group, and the method that carries it out.
type Member struct {
	Step   plan.Address
	Method string
}

// Join brings the work of a lane onto the tree of the run, accounts for it, and
// has it judged.
type Join struct{}

// Deliver brings into the workspace what the run accepted.
type Deliver struct{}

// Commit has the work that is in the workspace committed to its repository.
type Commit struct{}

// Restore carries out the restore that the journal announced.
type Restore struct{}

// Rewind sets the run back to before a step, on a person's word.
type Rewind struct {
	To  plan.Address
	By  string
	Why string
}

// Consult asks an advisor about the failure of the step.
type Consult struct {
	Failure *history.AttemptFailed
	Kind    advice.Kind
	Point   advice.Point
	Rung    string // that wants the advice
	Why     string
}

// Foresee asks an advisor about the task of the step, before it begins.
type Foresee struct{ Kind advice.Kind }

// Review has the reviewers decide about the task of the step: a first draft,
// or, with Again, a patched one.
type Review struct{ Again bool }

// Verify looks for the evidence of a task.
type Verify struct {
	Task   string
	Retry  int
	Action string // of the retry
}

// Repair decides, with advice, what is done about missing evidence of a task.
type Repair struct{ Task string }

// Wait lets time pass until For after Since, which stands in the journal.
type Wait struct {
	Since time.Time
	For   time.Duration
	// Unserved is the failure of the attempt whose executor is not served until
	// then; nil if it is another reason.
	Unserved *history.AttemptFailed
}

// Pause lets go of the run in a way that can be resumed.
type Pause struct{ Why Reason }

// Reason is why a run is let go.
type Reason string

// Reasons of the engine. Performers have further ones.
const (
	HandedOver Reason = "handoff"     // the token budget of the session is nearly used up
	Stopped    Reason = "interrupted" // somebody wants the run to stop
)

// Refuse lets go of the run in a way that can be resumed: a guard wants what
// cannot be.
type Refuse struct{ Why string }

// End judges the run as a whole.
type End struct{}

// Seal draws the documents and closes the journal for good.
type Seal struct{}

func (Record) action()  {}
func (Look) action()    {}
func (Put) action()     {}
func (Begin) action()   {}
func (Attempt) action() {}
func (Group) action()   {}
func (Join) action()    {}
func (Deliver) action() {}
func (Commit) action()  {}
func (Restore) action() {}
func (Rewind) action()  {}
func (Consult) action() {}
func (Foresee) action() {}
func (Review) action()  {}
func (Verify) action()  {}
func (Repair) action()  {}
func (Wait) action()    {}
func (Pause) action()   {}
func (Refuse) action()  {}
func (End) action()     {}
func (Seal) action()    {}

// one is a single action that concerns the run as a whole.
func one(a Action) []Wanted { return []Wanted{{Action: a}} }

// about is a single action that concerns the step.
func about(c *guard.Case, a Action) []Wanted { return []Wanted{{Step: c.Step.Address, Action: a}} }

// attempted is a single action that concerns the latest attempt of the step.
func attempted(c *guard.Case, a Action) []Wanted {
	return []Wanted{{Step: c.Step.Address, Attempt: c.Step.Tried(), Action: a}}
}

// noted are facts about the latest attempt of the step, to be recorded.
func noted(c *guard.Case, facts ...history.Fact) []Wanted {
	return one(Record{Facts: c.Step.Where(c.Step.Tried()).Locate(facts...)})
}
