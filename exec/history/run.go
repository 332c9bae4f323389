package history

import (
	"fmt"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// StepStatus is where a step stands.
type StepStatus string

const (
	Pending   StepStatus = "pending"   // nothing has begun
	InFlight  StepStatus = "running"   // under way, or waiting
	Completed StepStatus = "completed" // accepted, for good
	Failed    StepStatus = "failed"    // undone, and not tried again
	Skipped   StepStatus = "skipped"   // left out on somebody's word
	Blocked   StepStatus = "blocked"   // an earlier step that it needs is missing
)

// Over reports whether nothing more happens to the step by itself.
func (s StepStatus) Over() bool { return s != Pending && s != InFlight }

// An Attempt is one execution of one method, as far as it is known.
type Attempt struct {
	Number    int
	Started   time.Time
	Ended     time.Time // zero while it runs
	Method    AttemptStarted
	Said      *AttemptEnded
	Telemetry *Telemetry // what it said of runs, artifacts and metrics; nil if nothing
	Accounted *Accounted
	Gates     []gate.Judgement    // during and after
	Cycles    []Cycle             // phases of writing the test first, that ended
	Differs   []Differs           // earlier attempts of the same inputs that made another tree
	Failure   *AttemptFailed      // nil: it succeeded, or is not over
	Base      checkpoint.Snapshot // the tree that it began with: the step's checkpoint then
	Discarded checkpoint.Snapshot // what it left and was undone, where that was kept
	// Compensated is how its compensation went; nil if there was none yet.
	Compensated *Compensated
	// Resumptions is how often the run had been resumed when the attempt failed.
	Resumptions int
}

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

// An Exchange is a question and what became of it.
type Exchange struct {
	Question   ask.Question
	Answer     *ask.Answer
	Unanswered *Unanswered  // the refusal that ended it
	Mistaken   []Unanswered // answers that did not count
}

// Open reports whether it still waits.
func (e *Exchange) Open() bool { return e.Answer == nil && e.Unanswered == nil }

// Last is the latest attempt, or nil.
func (s *Step) Last() *Attempt {
	if len(s.Attempts) == 0 {
		return nil
	}
	return s.Attempts[len(s.Attempts)-1]
}

// Tried is how many attempts there have been, those before a rollback included.
func (s *Step) Tried() int { return len(s.Undone) + len(s.Attempts) }

// Rungs counts how often a rung was used, since the step began or was rolled back.
func (s *Step) Rungs(name string) int {
	n := 0
	for _, r := range s.Recoveries {
		if r.Rung == name {
			n++
		}
	}
	return n
}

// A Run is the state of a run: the fold over its journal. The zero value is a
// run of which nothing is known yet.
type Run struct {
	Started Started   // an amendment puts its plan, lock and envelope in place of those that the run began with
	Begun   time.Time // of the first record
	Latest  time.Time // of the last one
	Over    time.Time // when it ended; zero while it has not
	Head    checkpoint.Head

	Status Status
	Mode   plan.Mode
	Steps  []*Step             // in the order of execution
	Tree   checkpoint.Snapshot // the tree that we left
	Git    ledger.GitState
	Final  []gate.Judgement

	Flow Flow // strategy, tasks, tokens

	Modes       []ModeSwitched
	ModeAt      uint64       // position in the journal of the latest switch, of the run's start if there was none
	Addenda     []Addendum   // answers that became part of the plan's record, in order
	Amendments  []Amended    // steps that were added to the plan, in order
	Remembered  []Remembered // choices that were to be remembered
	Compliance  []Compliance // looks at tasks before their first step, in order
	Resumptions int
	ResumedAt   uint64        // position of the latest resumption in the journal; 0: there was none
	Boot        string        // the life of the machine in which the run was taken in hand last
	Idle        []Idle        // when nobody had the run in hand, in order
	Stamps      ledger.Digest // of the file with what scans believe, as it was written last; "" if there was none
	RolledBack  []RolledBack
	Consecutive int // failed steps in a row
	Asked       int // questions so far, answered or not: the next one's number

	Approvals       []Approval      // decisions of reviewers about tasks, in order
	Evidence        []Evidence      // what was found of what tasks owe, in order
	EvidenceRetries []EvidenceRetry // what was done where it was missing
	Outcomes        []TaskOutcome   // last words about tasks

	Restoring *RestoreBegun // begun and not finished
	Paused    *Paused       // the controller let go
	Ended     *Ended
	Delivered *Delivered
	Sealed    *Sealed

	index    map[plan.Address]*Step
	open     *Exchange
	step     *Step    // under way
	cutOff   *Attempt // under way when the run was set back, until what it left is discarded
	standing standing
	under    map[string]ledger.Digest  // the plans that questions were asked under, by their ids
	locks    []string                  // ids of those before an amendment
	record   ledger.Digest             // of the last addendum or amendment
	last     *Step                     // completed by the latest record; nil if it was another
	said     map[string]gate.Judgement // by their JSON
}

// JustCompleted is the step that the latest record completed, or nil.
func (r *Run) JustCompleted() *Step { return r.last }

// Step finds a step by its address, or nil.
func (r *Run) Step(a plan.Address) *Step { return r.index[a] }

// Current is the step that is under way, or nil.
func (r *Run) Current() *Step { return r.step }

// Pending is the question that waits for an answer, or nil.
func (r *Run) Pending() *ask.Question {
	if r.open == nil {
		return nil
	}
	return &r.open.Question
}

// Count is the number of steps with a status.
func (r *Run) Count(s StepStatus) int {
	n := 0
	for _, step := range r.Steps {
		if step.Status == s {
			n++
		}
	}
	return n
}

// An OrderError says that a record cannot follow those before it.
type OrderError struct {
	Seq uint64
	Why string
}

func (e *OrderError) Error() string { return fmt.Sprintf("history: record %d: %s", e.Seq, e.Why) }

// Apply folds the next record in. *OrderError if it cannot follow what is
// there, *UnknownError if its type is unknown.
func (r *Run) Apply(rec checkpoint.Record) error {
	fact, err := r.decode(rec)
	if err != nil {
		return err
	}
	return r.apply(rec, fact)
}

// decode is Decode. More than half of a journal is what gates said, and most of that was said before, word by word: it is
// read once. Nobody changes a judgement.
func (r *Run) decode(rec checkpoint.Record) (Fact, error) {
	if rec.Type != (*Gates)(nil).Type() {
		return Decode(rec)
	}
	if r.said == nil {
		r.said = map[string]gate.Judgement{}
	}
	g := new(Gates)
	if err := g.read(rec.Data, r.said); err != nil {
		return nil, unreadable(rec, err)
	}
	return g, nil
}

// Compact drops what is only of use while many records are read one after the other. The run means the same.
func (r *Run) Compact() { r.said = nil }

func (r *Run) apply(rec checkpoint.Record, fact Fact) (err error) {
	_, first := fact.(*Started)
	switch {
	case first != (r.Head.Seq == 0):
		return &OrderError{rec.Seq, "a run starts with run-started, once"}
	case r.Sealed != nil:
		return &OrderError{rec.Seq, "the run is sealed: nothing follows"}
	}
	if f, amended := fact.(*Amended); amended {
		return r.amend(rec, f)
	}
	r.last = nil
	step := r.index[plan.Address(rec.Step)]
	if rec.Step != "" && step == nil {
		return &OrderError{rec.Seq, fmt.Sprintf("step %q is not part of the plan", rec.Step)}
	}
	if step != nil {
		err = step.apply(r, rec, fact)
	} else {
		err = r.applyRun(rec, fact)
	}
	if err != nil {
		return err
	}
	if _, ok := fact.(*Paused); !ok {
		r.Paused = nil
	}
	r.Head = checkpoint.Head{Seq: rec.Seq, Hash: rec.Hash}
	r.Latest = rec.Time
	return nil
}
