package history

import (
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

const (
	Pending   StepStatus = "pending"   // nothing has begun
	InFlight  StepStatus = "running"   // under way, or waiting
	Completed StepStatus = "completed" // accepted, for good
	Failed    StepStatus = "failed"    // undone, and not tried again
	Skipped   StepStatus = "skipped"   // left out on somebody's word
	Blocked   StepStatus = "blocked"   // an earlier step that it needs is missing

	// of tasks alone
	PartlyDone  StepStatus = "partial"      // some was completed, and some was not and never will be
	FailedFinal StepStatus = "failed_final" // all that may be tried was tried
)

// StepStatus is where a step stands, or a task.
type StepStatus string

// Over reports whether nothing more happens to the step by itself.
func (s StepStatus) Over() bool { return s != Pending && s != InFlight }

// StepStarted is the checkpoint before a step: tree, position (the record
// itself) and envelope.
type StepStarted struct {
	Checkpoint record.Snapshot `json:"checkpoint"`
	Envelope   ledger.Digest   `json:"envelope"`
	Git        ledger.GitState `json:"git,omitempty"`
	// Prior are the steps whose outcome mattered (those that were not
	// completed, and the one before), and what was decided because of it.
	Prior    []plan.Address   `json:"prior,omitempty"`
	Decision string           `json:"decision"` // "proceed", "proceed with concern", "reviewed"
	Strategy plan.Propagation `json:"strategy"`
	Concern  string           `json:"concern,omitempty"`
	// Refuted are what the work lacks that is done in the words of a summary:
	// the step is carried out.
	Refuted []string `json:"refuted,omitempty"`
}

func (*StepStarted) Type() string { return "step-started" }

func (f *StepStarted) String() string {
	return sprint("tree %s · %s: %s", f.Checkpoint.Tree.Short(), f.Decision, f.Concern)
}

func (f *StepStarted) snapshots() []record.Snapshot { return snapshots(f.Checkpoint) }

func (f *StepStarted) readBack() Fact {
	r := *f
	for name, digest := range r.Git { // in any order: all must be kept
		if !kept(name, string(digest)) {
			return nil
		}
	}
	if !keptAll(r.Prior) || !keptAll(r.Refuted) || !keptSnapshot(r.Checkpoint) ||
		!kept(string(r.Envelope), r.Decision, string(r.Strategy), r.Concern) {
		return nil
	}
	r.Git, r.Prior, r.Refuted = someOf(r.Git), some(r.Prior), some(r.Refuted)
	return &r
}

// StepCompleted accepts a tree: from here on it is the one we left.
type StepCompleted struct {
	Snapshot record.Snapshot `json:"snapshot"`
	Method   string          `json:"method"`
}

func (*StepCompleted) Type() string { return "step-completed" }

func (f *StepCompleted) String() string {
	return sprint("tree %s by %s", f.Snapshot.Tree.Short(), methodName(f.Method))
}

func (f *StepCompleted) snapshots() []record.Snapshot { return snapshots(f.Snapshot) }

func (f *StepCompleted) readBack() Fact {
	r := *f
	if !keptSnapshot(r.Snapshot) || !kept(r.Method) {
		return nil
	}
	return &r
}

// StepFailed is final: the step was undone and is not tried again.
type StepFailed struct {
	Class   Class    `json:"class"`
	Reasons []string `json:"reasons"`
	Halts   bool     `json:"halts"`            // the run ends because of it
	Passed  []Passed `json:"passed,omitempty"` // why the rungs of the ladder had nothing left to do
}

func (*StepFailed) Type() string { return "step-failed" }

func (f *StepFailed) String() string { return failureLine(f.Class, f.Reasons) }

// StepSkipped says that a step was left out, and on whose word.
type StepSkipped struct {
	Why  string `json:"why"`
	By   string `json:"by"`
	Done bool   `json:"done,omitempty"` // its work was there already
}

func (*StepSkipped) Type() string { return "step-skipped" }

func (f *StepSkipped) String() string { return sprint("by %s: %s", f.By, f.Why) }

// StepBlocked says that a step cannot run because of an earlier one.
type StepBlocked struct {
	By  plan.Address `json:"by"`
	Why string       `json:"why"`
	// Unblock are the ways to have the step run after all.
	Unblock []string `json:"unblock,omitempty"`
}

func (*StepBlocked) Type() string { return "step-blocked" }

func (f *StepBlocked) String() string { return f.Why }

// Lesson is what a step taught in education mode, once it was over. The
// situation and the approaches stand in the question that Question names.
type Lesson struct {
	Question    string        `json:"question,omitempty"` // the checkpoint before the step
	Recommended string        `json:"recommended"`        // the method that was recommended
	Chosen      string        `json:"chosen"`             // the method that the person chose
	Used        string        `json:"used"`               // the method that was used last
	Result      string        `json:"result"`             // what happened
	Lesson      string        `json:"lesson"`             // what to keep of it
	Others      []LessonOther `json:"others,omitempty"`   // the approaches that were not used
	Status      StepStatus    `json:"status"`             // how the step ended
}

// LessonOther is what an approach that was not used would have done otherwise.
type LessonOther struct {
	Method string `json:"method"`
	Would  string `json:"would"`
}

func (*Lesson) Type() string { return "lesson" }

func (f *Lesson) String() string {
	return sprint("%s chosen, %s used: %s", methodName(f.Chosen), methodName(f.Used), f.Lesson)
}
