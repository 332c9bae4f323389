package history

import (
	"slices"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// underWay is the attempt that a fact is about. It must be the latest one.
func (s *Step) underWay(f Fact, at moment) (*Attempt, error) {
	a := s.Last()
	if a == nil || a.Number != at.attempt {
		return nil, at.refuse("%s concerns attempt %d of step %s, which is not under way", f.Type(), at.attempt,
			s.Address)
	}
	return a, nil
}

// overAlready refuses a fact that ends a step once more.
func (s *Step) overAlready(f Fact, at moment) error {
	return at.refuse("%s, but step %s is %s already", f.Type(), s.Address, s.Status)
}

// end notes that the step is over.
func (s *Step) end(r *Run, status StepStatus, at moment) error {
	s.Status, s.Over, s.EndedAt, s.InARow = status, at.time, at.seq, r.Consecutive
	r.lanes.leave(s)
	r.standing.ends(r, s)
	return nil
}

func (f *StepStarted) ofStep(r *Run, s *Step, at moment) error {
	if s.Status.Over() {
		return at.refuse("step %s starts, but it is %s already", s.Address, s.Status)
	}
	if s.Started.IsZero() {
		s.Started = at.time
	}
	f.Checkpoint = r.known(f.Checkpoint)
	s.Checkpoint, s.At, s.Commit, s.Status = f, at.seq, r.Commit, InFlight
	s.Gates, s.Refusal = nil, nil
	r.lanes.enter(s)
	return nil
}

func (f *StepCompleted) ofStep(r *Run, s *Step, at moment) error {
	switch {
	case s.Status.Over():
		return s.overAlready(f, at)
	case s.Last() == nil:
		return at.refuse("step %s is completed without an attempt", s.Address)
	}
	f.Snapshot = r.known(f.Snapshot)
	s.Completed = f
	s.Last().Ended = at.time
	r.Tree, r.movedAt = f.Snapshot, at.seq
	r.kept = nil
	r.Consecutive = 0
	r.last = s
	return s.end(r, Completed, at)
}

func (f *StepFailed) ofStep(r *Run, s *Step, at moment) error {
	if s.Status.Over() {
		return s.overAlready(f, at)
	}
	s.Failed = f
	r.Consecutive++
	return s.end(r, Failed, at)
}

func (f *StepSkipped) ofStep(r *Run, s *Step, at moment) error {
	if s.Status.Over() {
		return s.overAlready(f, at)
	}
	s.Skipped = f
	return s.end(r, Skipped, at)
}

func (f *StepBlocked) ofStep(r *Run, s *Step, at moment) error {
	if s.Status.Over() {
		return s.overAlready(f, at)
	}
	s.Blocked = f
	return s.end(r, Blocked, at)
}

func (f *Lesson) ofStep(_ *Run, s *Step, _ moment) error {
	s.Lesson = f
	return nil
}

func (f *Accounted) ofAttempt(r *Run, _ *Step, a *Attempt, _ moment) error {
	f.Inline = nil // the store knows them by now
	f.Tree = r.known(record.Snapshot{Tree: f.Tree, Manifest: r.Tree.Manifest}).Tree
	a.Accounted = f
	r.standing.touched(f)
	return nil
}

func (f *Controlled) ofRun(r *Run, _ moment) error {
	r.Controlled = f
	return nil
}

func (f *Controlled) ofAttempt(_ *Run, _ *Step, a *Attempt, _ moment) error {
	a.Controlled = f
	return nil
}

func (f *Differs) ofAttempt(_ *Run, _ *Step, a *Attempt, _ moment) error {
	a.Differs = append(a.Differs, *f)
	return nil
}

func (f *Repeated) ofAttempt(_ *Run, _ *Step, a *Attempt, _ moment) error {
	a.Repeated = f
	return nil
}

func (f *Telemetry) ofAttempt(_ *Run, _ *Step, a *Attempt, _ moment) error {
	a.Telemetry = f
	return nil
}

func (f *Recovery) ofStep(_ *Run, s *Step, at moment) error {
	f.At = at.time
	s.Recoveries = append(s.Recoveries, *f)
	s.Next = &s.Recoveries[len(s.Recoveries)-1]
	return nil
}

func (f *Advised) ofStep(r *Run, s *Step, at moment) error {
	f.At = at.time
	s.Advised = append(s.Advised, *f)
	r.standing.heard = insert(r.standing.heard, s)
	r.Flow.spend(f.Cost.Tokens, f.Cost.Cost)
	return nil
}

func (f *Patched) ofStep(_ *Run, s *Step, _ moment) error {
	s.Patches = append(s.Patches, *f)
	return nil
}

func (f *AttemptStarted) ofStep(r *Run, s *Step, at moment) error {
	if at.attempt != s.Tried()+1 {
		return at.refuse("attempt %d of step %s follows attempt %d", at.attempt, s.Address, s.Tried())
	}
	a := &Attempt{Number: at.attempt, At: at.seq, Started: at.time, Method: *f, Lane: s.lane}
	s.lane = nil
	if s.Checkpoint != nil {
		a.Base = s.Checkpoint.Checkpoint
	}
	s.Attempts = append(s.Attempts, a)
	s.Next = nil
	if f.Stamps != "" {
		r.Stamps = f.Stamps
	}
	return nil
}

func (f *AttemptEnded) ofAttempt(r *Run, _ *Step, a *Attempt, at moment) error {
	a.Said, a.Ended = f, at.time
	a.Lane.cameBack()
	r.standing.took += f.Took
	r.Flow.spend(f.Tokens, f.Cost)
	return nil
}

func (f *AttemptFailed) ofStep(r *Run, s *Step, at moment) error {
	if at.attempt == 0 {
		s.Refusal, s.Next, s.heard = f, nil, len(s.Advised)
		return nil
	}
	a, err := s.underWay(f, at)
	if err != nil {
		return err
	}
	a.Failure, a.Resumptions = f, r.Resumptions
	a.Lane.cameBack()
	s.heard = len(s.Advised)
	if a.Ended.IsZero() {
		a.Ended = at.time
	}
	r.standing.failed(a)
	return nil
}

func (f *Cycle) ofAttempt(_ *Run, _ *Step, a *Attempt, _ moment) error {
	a.Cycles = append(a.Cycles, *f)
	return nil
}

func (f *JobDone) ofAttempt(_ *Run, _ *Step, a *Attempt, _ moment) error {
	a.Jobs = append(a.Jobs, *f)
	return nil
}

func (f *Judged) ofRun(r *Run, _ moment) error {
	r.Final = append(r.Final, *f...)
	return nil
}

func (f *Judged) ofStep(r *Run, s *Step, at moment) error {
	begun, attempt := r.standing.judgedBefore()
	if at.attempt == 0 {
		s.Gates = judged(s.Gates, *f, begun)
		return nil
	}
	a, err := s.underWay(f, at)
	if err != nil {
		return err
	}
	a.Gates = judged(a.Gates, *f, attempt)
	return nil
}

func (f *Asked) ofRun(r *Run, at moment) error { return f.ofStep(r, nil, at) }

func (f *Asked) ofStep(r *Run, s *Step, at moment) error {
	if q := r.open.about(s); q != nil {
		return at.refuse("question %s is asked while %s is open", f.Question.ID, q.ID)
	}
	r.Asked++
	if r.under == nil {
		r.under = map[string]ledger.Digest{}
	}
	r.under[f.Question.ID] = r.Started.Plan
	x := &Exchange{Question: f.Question}
	if f.Question.Kind == ask.Obsolete {
		r.doubted = &Exchange{Question: f.Question}
	}
	if s != nil {
		r.standing.asked = insert(r.standing.asked, s)
		s.Questions = append(s.Questions, *x)
		// it moves only when the step asks again, and that is when this one is
		// closed
		x = &s.Questions[len(s.Questions)-1]
	} else {
		r.Exchanges = append(r.Exchanges, x)
	}
	r.open = append(r.open, openQuestion{s, x, at.seq})
	r.mark(at, r.waitingMark())
	return nil
}

func (f *Answered) ofRun(r *Run, at moment) error {
	i, err := r.open.find(f.Answer.Question, at)
	if err != nil {
		return err
	}
	r.open[i].exchange.Answer, r.open[i].exchange.AnsweredAt = &f.Answer, at.seq
	if d := r.doubted; d != nil && d.Question.ID == f.Answer.Question {
		d.Answer = &f.Answer
	}
	r.open = slices.Delete(r.open, i, i+1)
	return nil
}

func (f *Answered) ofStep(r *Run, _ *Step, at moment) error { return f.ofRun(r, at) }

func (f *Unanswered) ofRun(r *Run, at moment) error {
	i, err := r.open.find(f.Question, at)
	if err != nil {
		return err
	}
	x := r.open[i].exchange
	switch {
	case f.Expired:
		x.Question.Deadline = time.Time{}
		return nil
	case !f.Final:
		x.Mistaken = append(x.Mistaken, *f)
		return nil
	}
	x.Unanswered = f
	if d := r.doubted; d != nil && d.Question.ID == f.Question {
		d.Unanswered = f
	}
	r.open = slices.Delete(r.open, i, i+1)
	return nil
}

func (f *Unanswered) ofStep(r *Run, _ *Step, at moment) error { return f.ofRun(r, at) }

func (f *Remembered) ofRun(r *Run, _ moment) error {
	f.Plan = r.AskedUnder(f.Question)
	r.Remembered = append(r.Remembered, *f)
	return nil
}

func (f *Remembered) ofStep(r *Run, _ *Step, at moment) error { return f.ofRun(r, at) }

// Behind a rollback, and where a beginning was disowned, what is discarded is
// what attempts left that were under way. It may be said a second time, once
// somebody has looked what that is.
func (f *RestoreBegun) ofRun(r *Run, _ moment) error {
	r.Restoring = f
	for _, a := range r.cutOff {
		a.Discarded = f.Discarded
	}
	if f.Discarded != (record.Snapshot{}) {
		r.cutOff = nil
	}
	return nil
}

func (f *RestoreBegun) ofStep(r *Run, s *Step, at moment) error {
	if a := s.Last(); a != nil && a.Failure != nil && a.Discarded == (record.Snapshot{}) {
		a.Discarded = f.Discarded
	}
	return f.ofRun(r, at)
}

func (f *Restored) ofRun(r *Run, at moment) error {
	r.Restoring, r.cutOff = nil, nil
	if f.Left != (record.Snapshot{}) {
		r.Tree, r.movedAt = f.Left, at.seq
	}
	return nil
}

func (f *Restored) ofStep(r *Run, s *Step, at moment) error {
	if a := s.Last(); a != nil && a.Failure != nil {
		a.Stays = f.Stays
	}
	return f.ofRun(r, at)
}

func (f *Compensated) ofStep(_ *Run, s *Step, _ moment) error {
	if a := s.Last(); a != nil {
		a.Compensated = f
	}
	return nil
}

// The step and everything after it has not happened, but what was tried stays
// in the journal.
func (f *RolledBack) ofStep(r *Run, s *Step, at moment) error {
	if r.Foreign != nil {
		return at.refuse("the run is set back, and nobody said what becomes of what others did")
	}
	r.RolledBack, r.SetBackAt = append(r.RolledBack, *f), at.seq
	if r.Restoring == nil { // else nobody has looked yet what those left whose beginning was disowned
		r.cutOff = nil
	}
	for _, step := range r.lanes.steps {
		if a := step.InFlight(); a != nil && a.Ended.IsZero() && a.Accounted == nil {
			r.cutOff = append(r.cutOff, a)
		}
	}
	r.open.close("the run was set back")
	tasks, steps := map[string]bool{}, map[plan.Address]bool{}
	back, _, _ := r.SetBack(s)
	if f.Alone {
		back = r.unfinished(s)
	}
	for _, step := range back {
		tasks[step.Task], steps[step.Address] = true, true
		*step = Step{Outline: step.Outline, Status: Pending, Undone: append(step.Undone, step.Attempts...),
			Advised: step.Advised, Patches: step.Patches, Earlier: append(step.Earlier, step.Questions...),
			heard: len(step.Advised), at: step.at}
	}
	r.Flow.rollBack(steps, tasks)
	r.standing.setBack(r)
	undoTasks(r, tasks, f.By)
	r.Tree, r.movedAt = f.Snapshot, at.seq
	r.Consecutive = 0
	r.lanes.setBack()
	r.open, r.Restoring = nil, nil
	return nil
}
