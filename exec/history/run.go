package history

import (
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A Run is the state of a run: the fold over its journal. The zero value is a
// run of which nothing is known yet.
type Run struct {
	Started Started   // an amendment puts its plan, lock and envelope in place of those that the run began with
	Begun   time.Time // of the first record
	Latest  time.Time // of the last one
	Over    time.Time // when it ended; zero while it has not
	Head    record.Head

	Status Status
	Policy Policy // that it began with, or that was put in its place since
	Roles  Roles
	Mode   plan.Mode
	Steps  []*Step         // in the order of execution
	Tree   record.Snapshot // the tree that we left
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
	lanes    []*Step        // under way
	open     []openQuestion // in the order in which they were asked
	cutOff   []*Attempt     // under way when the run was set back, until what they left is discarded
	observed map[observation]uint64
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

// Fold folds records, in order, into the state of a run.
func Fold(records []record.Record) (*Run, error) {
	run := &Run{}
	for _, rec := range records {
		if err := run.Apply(rec); err != nil {
			return nil, err
		}
	}
	run.Compact()
	return run, nil
}

// Apply folds the next record in. *OrderError if it cannot follow what is
// there, *UnknownError if its type is unknown.
func (r *Run) Apply(rec record.Record) error {
	f, err := r.decode(rec)
	if err != nil {
		return err
	}
	return r.apply(rec, f)
}

// decode is Decode. More than half of a journal is what gates said, and most of
// that was said before, word by word: it is read once. Nobody changes a
// judgement.
func (r *Run) decode(rec record.Record) (Fact, error) {
	if rec.Type != judgedType {
		return Decode(rec)
	}
	if r.said == nil {
		r.said = map[string]gate.Judgement{}
	}
	j := new(Judged)
	if err := j.read(rec.Data, r.said); err != nil {
		return nil, unreadable(rec, err)
	}
	return j, nil
}

// Compact drops what is only of use while many records are read one after the
// other. The run means the same.
func (r *Run) Compact() { r.said = nil }

// An aside leaves the run as it stands: whether it waits, and what it did last.
type aside interface{ aside() }

func (r *Run) apply(rec record.Record, f Fact) error {
	at := moment{seq: rec.Seq, time: rec.Time, attempt: rec.Attempt}
	if r.Sealed != nil {
		return at.refuse("the run is sealed: nothing follows")
	}
	if _, first := f.(*Started); first != (r.Head.Seq == 0) {
		return at.refuse("a run starts with %s, once", (*Started)(nil).Type())
	}
	if _, ok := f.(aside); !ok {
		r.last, r.Paused = nil, nil
		if r.Ended == nil {
			r.Status = Running
		}
	}
	if err := r.place(plan.Address(rec.Step), f, at); err != nil {
		return err
	}
	r.Head = record.Head{Seq: rec.Seq, Hash: rec.Hash}
	r.Latest = rec.Time
	return nil
}

// place folds a fact in where it belongs.
func (r *Run) place(step plan.Address, f Fact, at moment) error {
	if step == "" {
		if f, ok := f.(ofRun); ok {
			return f.ofRun(r, at)
		}
		return at.refuse("%s names no step", f.Type())
	}
	s := r.index[step]
	switch {
	case s == nil:
		return at.refuse("step %q is not part of the plan", step)
	case r.Ended != nil:
		return at.refuse("%s follows the end of the run", f.Type())
	}
	if f, ok := f.(ofStep); ok {
		return f.ofStep(r, s, at)
	}
	one, ok := f.(ofAttempt)
	if !ok {
		return at.refuse("%s does not concern a step", f.Type())
	}
	a, err := s.underWay(f, at)
	if err != nil {
		return err
	}
	return one.ofAttempt(r, s, a, at)
}
