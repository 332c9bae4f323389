package history

import (
	"fmt"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

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
	f, err := read(rec, &r.said)
	if err != nil {
		return err
	}
	return r.Fold(rec, f)
}

// Take folds the next record in, as Apply does, for whoever has the fact that
// it was encoded from. The state is the same, field by field, as if the record
// had been read; facts that every step has need not be read for it. f is not
// kept.
func (r *Run) Take(rec record.Record, f Fact) error {
	if known, ok := f.(readable); ok && rec.Type == f.Type() {
		if fact := known.readBack(); fact != nil {
			return r.Fold(rec, fact)
		}
	}
	fact, err := Decode(rec)
	if err != nil {
		return err
	}
	return r.Fold(rec, fact)
}

// Fold folds a fact in that a record is about, without reading the record's
// data: what a simulation, or a host that makes facts itself, has at hand. The
// fact belongs to the run from then on. Errors are those of [Run.Apply].
func (r *Run) Fold(rec record.Record, f Fact) error {
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
			r.moveOn(f)
		}
	}
	r.hold(f)
	r.Signed.hold(&rec)
	if err := place(r, plan.Address(rec.Step), f, at); err != nil {
		return err
	}
	r.Signed.follow(r, rec, f)
	r.Head = record.Head{Seq: rec.Seq, Hash: rec.Hash}
	r.Latest = rec.Time
	return nil
}

// Compact drops what is only of use while many records are read one after the
// other. The run means the same.
func (r *Run) Compact() { r.said = nil }

// read is Decode. More than half of a journal is what gates said, and most of
// that was said before, word by word: it is read once. Nobody changes a
// judgement.
func read(rec record.Record, said *map[string]gate.Judgement) (Fact, error) {
	if rec.Type != judgedType {
		return Decode(rec)
	}
	if *said == nil {
		*said = map[string]gate.Judgement{}
	}
	j := new(Judged)
	if err := j.read(rec.Data, *said); err != nil {
		return nil, unreadable(rec, err)
	}
	return j, nil
}

// place folds a fact in where it belongs.
func place(r *Run, step plan.Address, f Fact, at moment) error {
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

// An aside leaves the run as it stands: whether it waits, and what it did last.
type aside interface{ aside() }

// A readable fact knows what it is once it was encoded and read: what JSON does
// not keep, such as the difference between no list and an empty one, is gone.
// It is nil where only reading can tell.
type readable interface{ readBack() Fact }

// A moment is where a fact stands in the journal.
type moment struct {
	seq     uint64
	time    time.Time
	attempt int // 0: the step, or the run, as a whole
}

// refuse is the OrderError of a fact.
func (at moment) refuse(format string, args ...any) error {
	return &OrderError{Seq: at.seq, Why: fmt.Sprintf(format, args...)}
}

// An OrderError says that a record cannot follow those before it.
type OrderError struct {
	Seq uint64
	Why string
}

func (e *OrderError) Error() string { return fmt.Sprintf("history: record %d: %s", e.Seq, e.Why) }

// What a fact does to a run is said by one method or more, by what it may
// concern: the run as a whole, a step, or an attempt of a step. A record in any
// other place is refused.
type (
	ofRun interface {
		ofRun(r *Run, at moment) error
	}
	ofStep interface {
		ofStep(r *Run, s *Step, at moment) error
	}
	ofAttempt interface {
		ofAttempt(r *Run, s *Step, a *Attempt, at moment) error
	}
)

func (f *Started) ofRun(r *Run, at moment) error {
	r.Started = *f
	r.Policy, r.Roles = f.Policy, f.Roles
	r.Status = Running
	r.Boot = f.Boot
	r.Begun = at.time
	r.Mode, r.ModeAt = f.Mode, at.seq
	r.Tree, r.Placed = f.Base, f.Base
	if f.From != nil {
		r.Tree, r.Placed, r.movedAt = f.From.Left, f.From.Placed, at.seq
	}
	r.Git, r.Commit = f.Git, f.Commit
	r.Signed.Key = f.Signer
	r.Flow.Session = 1
	r.index = make(map[plan.Address]*Step, len(f.Steps))
	r.Signed.steps = r.index
	r.Steps = make([]*Step, len(f.Steps))
	for i, o := range f.Steps {
		r.Steps[i] = &Step{Outline: o, Status: Pending}
		r.index[o.Address] = r.Steps[i]
	}
	r.standing = counted(r)
	return nil
}

func (f *Resumed) ofRun(r *Run, at moment) error {
	r.Boot, r.Stopping = f.Boot, nil
	if f.Git != nil {
		r.Git, r.Commit = f.Git, f.Commit
	}
	if r.Ended == nil {
		r.Resumptions++
		r.mark(at, MarkError)
		r.ResumedAt = at.seq
		r.idle(at.time)
		r.Flow.resumed()
	}
	return nil
}

func (f *MovesAccepted) ofRun(r *Run, _ moment) error {
	r.Started.Envelope = f.Envelope
	if f.Committing != nil {
		r.Started.Committing = f.Committing
	}
	r.Moves = append(r.Moves, *f)
	return nil
}

func (*MovesAccepted) aside() {}

func (f *StopRequested) ofRun(r *Run, _ moment) error {
	r.Stopping = f
	return nil
}

func (f *Abandoned) ofRun(r *Run, at moment) error {
	r.Abandoned = f
	r.idle(at.time) // nobody has it in hand then
	return nil
}

// hold keeps in mind since when nobody is at work on the run: since it was let go
// of, or, where its controller died, since the last record before those that
// whoever comes after it writes before it goes on.
func (r *Run) hold(f Fact) {
	switch f.(type) {
	case *Disowned, *KeyChanged, *MovesAccepted, *Amended, *RolledBack:
		if r.letGo.IsZero() {
			r.letGo = r.Latest
		}
	case *StepStarted, *AttemptStarted, *Ended: // whoever set it back is at work
		r.letGo = time.Time{}
	}
}

// idle notes that the run was taken up again, or given up. Of the times only what the
// journal holds of them counts, not the clock of a process.
func (r *Run) idle(at time.Time) {
	since := r.letGo
	if since.IsZero() {
		since = r.Latest
	}
	if at.After(since) {
		r.Idle = append(r.Idle, pause{since.Round(0), at.Round(0)})
	}
	r.letGo = time.Time{}
}

func (f *PolicyChanged) ofRun(r *Run, _ moment) error {
	r.Policy, r.Roles = f.Policy, f.Roles
	return nil
}

func (f *ModeSwitched) ofRun(r *Run, at moment) error {
	f.At = at.time
	r.Mode = f.To
	r.Modes = append(r.Modes, *f)
	r.ModeAt = at.seq
	return nil
}

func (f *ModeSwitched) ofStep(r *Run, s *Step, at moment) error {
	f.Step = s.Address
	return f.ofRun(r, at)
}

func (f *Paused) ofRun(r *Run, at moment) error {
	r.Paused = f
	if r.Ended == nil {
		r.Status = Waiting
		if r.letGo.IsZero() {
			r.letGo = at.time
		}
		r.mark(at, r.waitingMark())
	}
	return nil
}

func (f *Ended) ofRun(r *Run, at moment) error {
	r.Ended, r.Over = f, at.time
	r.Status = f.Status
	closeRun(r)
	r.mark(at, r.endMark())
	return nil
}

// closeRun closes what is open when the run ends: no answer counts any more, and a
// step that was under way stands where nobody had begun it, with its attempts.
func closeRun(r *Run) {
	r.open.close("the run has ended")
	for _, s := range r.lanes.steps {
		s.Status = Pending
	}
	r.open, r.lanes.steps = nil, nil
}

func (f *Sealed) ofRun(r *Run, _ moment) error {
	r.Sealed = f
	return nil
}

// ofRun folds the next one in, if it continues the chain.
func (f *Addendum) ofRun(r *Run, at moment) error {
	switch want := r.RecordDigest(); {
	case f.Number != len(r.Addenda)+1:
		return at.refuse("addendum %d follows addendum %d", f.Number, len(r.Addenda))
	case f.Prev != want:
		return at.refuse("addendum %d continues %s, and the record ends with %s", f.Number, f.Prev.Short(),
			want.Short())
	case f.Digest != f.sum():
		return at.refuse("addendum %d is not what its digest %s says", f.Number, f.Digest.Short())
	}
	r.Addenda = append(r.Addenda, *f)
	r.record = f.Digest
	return nil
}

func (f *Addendum) ofStep(r *Run, s *Step, at moment) error {
	if err := f.ofRun(r, at); err != nil {
		return err
	}
	s.Addenda = append(s.Addenda, *f)
	return nil
}

func (f *StrategySet) ofRun(r *Run, at moment) error {
	switched := r.Flow.Strategy != nil
	if switched {
		r.Flow.Switched = append(r.Flow.Switched, *f)
	}
	r.Flow.Phases = r.Flow.kept(f)
	r.Flow.Strategy, r.Flow.unphased = f, false
	r.standing.phased(r)
	switch {
	case switched:
		r.mark(at, MarkSwitch)
	case f.Strategy == Orchestrated:
		r.mark(at, MarkStarting)
	}
	return nil
}

func (f *PhaseOver) ofRun(r *Run, at moment) error {
	r.Flow.Phases = append(r.Flow.Phases, *f)
	delete(r.standing.unsaid, f.Number)
	r.mark(at, r.phaseMark(f))
	r.Marks[len(r.Marks)-1].Phase = f.Number
	return nil
}

func (f *Budget) ofRun(r *Run, at moment) error {
	r.Flow.Budgets = append(r.Flow.Budgets, *f)
	r.Flow.Warned = true
	r.Flow.handed = f.Handoff
	if f.Handoff {
		r.mark(at, MarkHandoff)
	}
	return nil
}
