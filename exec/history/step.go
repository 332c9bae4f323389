package history

import (
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/gate"
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
)

// StepStatus is where a step stands.
type StepStatus string

// Over reports whether nothing more happens to the step by itself.
func (s StepStatus) Over() bool { return s != Pending && s != InFlight }

// A Step is everything known about a step.
type Step struct {
	Outline
	Status     StepStatus
	Started    time.Time
	Over       time.Time // zero while it is not over
	EndedAt    uint64    // position of the fact that ended it in the journal; 0 while it is not over
	Checkpoint *StepStarted
	At         uint64           // position of the checkpoint in the journal
	Gates      []gate.Judgement // before the step, those of the latest try
	Refusal    *AttemptFailed   // why it may not begin; nil if it may
	Next       *Recovery        // decided and not tried yet
	Attempts   []*Attempt       // since the run was last set back to before the step
	Undone     []*Attempt       // those before that
	Recoveries []Recovery
	Advised    []Advised // what advisors said about it, oldest first
	Patches    []Patched // of its method, those that were refused too
	Questions  []Exchange
	Addenda    []Addendum // answers about the step that are part of the record, since the run was last set back
	Lesson     *Lesson    // of education mode; nil if there is none
	Completed  *StepCompleted
	Failed     *StepFailed
	Skipped    *StepSkipped
	Blocked    *StepBlocked

	at    int // position in the order of execution
	heard int // how much advice there was when it failed the last time
}

// Last is the latest attempt, or nil.
func (s *Step) Last() *Attempt {
	if len(s.Attempts) == 0 {
		return nil
	}
	return s.Attempts[len(s.Attempts)-1]
}

// Tried is how many attempts there have been, those before a rollback included.
func (s *Step) Tried() int { return len(s.Undone) + len(s.Attempts) }

// Rungs counts how often a rung was used, since the step began or was rolled
// back.
func (s *Step) Rungs(name string) int {
	n := 0
	for _, r := range s.Recoveries {
		if r.Rung == name {
			n++
		}
	}
	return n
}

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
}

func (*StepStarted) Type() string { return "step-started" }

func (f *StepStarted) String() string {
	return sprint("tree %s · %s: %s", f.Checkpoint.Tree.Short(), f.Decision, f.Concern)
}

func (f *StepStarted) ofStep(r *Run, s *Step, at moment) error {
	if s.Status.Over() {
		return at.refuse("step %s starts, but it is %s already", s.Address, s.Status)
	}
	if s.Started.IsZero() {
		s.Started = at.time
	}
	s.Checkpoint, s.At, s.Status = f, at.seq, InFlight
	s.Gates, s.Refusal = nil, nil
	r.enter(s)
	return nil
}

func (f *StepStarted) snapshots() []record.Snapshot { return snapshots(f.Checkpoint) }

func (f *StepStarted) readBack() Fact {
	r := *f
	for name, digest := range r.Git { // in any order: all must be kept
		if !kept(name, string(digest)) {
			return nil
		}
	}
	if !keptAll(r.Prior) || !keptSnapshot(r.Checkpoint) ||
		!kept(string(r.Envelope), r.Decision, string(r.Strategy), r.Concern) {
		return nil
	}
	r.Git, r.Prior = someOf(r.Git), some(r.Prior)
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

func (f *StepCompleted) ofStep(r *Run, s *Step, at moment) error {
	switch {
	case s.Status.Over():
		return s.overAlready(f, at)
	case s.Last() == nil:
		return at.refuse("step %s is completed without an attempt", s.Address)
	}
	s.Completed = f
	s.Last().Ended = at.time
	r.Tree = f.Snapshot
	r.Consecutive = 0
	r.last = s
	return s.end(r, Completed, at)
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

func (f *StepFailed) ofStep(r *Run, s *Step, at moment) error {
	if s.Status.Over() {
		return s.overAlready(f, at)
	}
	s.Failed = f
	r.Consecutive++
	return s.end(r, Failed, at)
}

// StepSkipped says that a step was left out, and on whose word.
type StepSkipped struct {
	Why  string `json:"why"`
	By   string `json:"by"`
	Done bool   `json:"done,omitempty"` // its work was there already
}

func (*StepSkipped) Type() string { return "step-skipped" }

func (f *StepSkipped) String() string { return sprint("by %s: %s", f.By, f.Why) }

func (f *StepSkipped) ofStep(r *Run, s *Step, at moment) error {
	if s.Status.Over() {
		return s.overAlready(f, at)
	}
	s.Skipped = f
	return s.end(r, Skipped, at)
}

// StepBlocked says that a step cannot run because of an earlier one.
type StepBlocked struct {
	By  plan.Address `json:"by"`
	Why string       `json:"why"`
	// Unblock are the ways to have the step run after all.
	Unblock []string `json:"unblock,omitempty"`
}

func (*StepBlocked) Type() string { return "step-blocked" }

func (f *StepBlocked) String() string { return f.Why }

func (f *StepBlocked) ofStep(r *Run, s *Step, at moment) error {
	if s.Status.Over() {
		return s.overAlready(f, at)
	}
	s.Blocked = f
	return s.end(r, Blocked, at)
}

// overAlready refuses a fact that ends a step once more.
func (s *Step) overAlready(f Fact, at moment) error {
	return at.refuse("%s, but step %s is %s already", f.Type(), s.Address, s.Status)
}

// end notes that the step is over.
func (s *Step) end(r *Run, status StepStatus, at moment) error {
	s.Status, s.Over, s.EndedAt = status, at.time, at.seq
	r.leave(s)
	r.endedStep(s)
	return nil
}
