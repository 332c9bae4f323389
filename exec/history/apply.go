package history

import (
	"fmt"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// applyRun folds a fact that concerns the run as a whole.
func (r *Run) applyRun(rec checkpoint.Record, fact Fact) error {
	switch f := fact.(type) {
	case *Started:
		r.start(rec, f)
	case *Resumed:
		r.Boot = f.Boot
		if r.Ended == nil {
			r.Resumptions++
			r.ResumedAt = rec.Seq
			r.idle(rec.Time)
			r.Flow.resumed()
		}
	case *Gates:
		r.Final = append(r.Final, *f...)
	case *ModeSwitched:
		f.At = rec.Time
		r.Mode = f.To
		r.Modes = append(r.Modes, *f)
		r.ModeAt = rec.Seq
	case *Asked:
		return r.ask(rec, nil, f)
	case *Answered, *Unanswered:
		return r.answer(rec, fact)
	case *Addendum:
		return r.addendum(rec, nil, f)
	case *Remembered:
		f.Plan = r.AskedUnder(f.Question)
		r.Remembered = append(r.Remembered, *f)
	case *Compliance:
		f.At = rec.Time
		r.Compliance = append(r.Compliance, *f)
	case *Paused:
		r.Paused = f
		if r.Ended == nil {
			r.Status = Waiting
		}
	case *RestoreBegun:
		r.restoring(f)
	case *Restored:
		r.restored(f)
	case *StrategySet, *PhaseOver, *TaskOver, *Budget:
		r.Flow.apply(f)
		if over, ok := f.(*TaskOver); ok {
			delete(r.standing.silent, over.Task)
		}
	case *Ended:
		r.Ended, r.Over = f, rec.Time
		r.Status = f.Status
	case *Delivered:
		r.Delivered = f
	case *Sealed:
		r.Sealed = f
	default:
		if !r.applyPipeline(rec.Time, fact) {
			return &OrderError{rec.Seq, fmt.Sprintf("%s names no step", fact.Type())}
		}
	}
	if _, paused := fact.(*Paused); !paused && r.Ended == nil {
		r.Status = Running
	}
	return nil
}

func (r *Run) start(rec checkpoint.Record, f *Started) {
	r.Started = *f
	r.Boot = f.Boot
	r.Begun = rec.Time
	r.Mode, r.ModeAt = f.Mode, rec.Seq
	r.Tree = f.Base
	r.Git = f.Git
	r.Flow.Session = 1
	r.index = make(map[plan.Address]*Step, len(f.Steps))
	r.Steps = make([]*Step, len(f.Steps))
	for i, o := range f.Steps {
		r.Steps[i] = &Step{Outline: o, Status: Pending}
		r.index[o.Address] = r.Steps[i]
	}
	r.begin()
}

// restoring folds that a tree is restored. Behind a rollback, what is discarded is what the attempt left that was under way.
func (r *Run) restoring(f *RestoreBegun) {
	r.Restoring = f
	if r.cutOff != nil {
		r.cutOff.Discarded, r.cutOff = f.Discarded, nil
	}
}

func (r *Run) restored(f *Restored) {
	r.Restoring = nil
	if f.Left != (checkpoint.Snapshot{}) {
		r.Tree = f.Left
	}
}

func (r *Run) ask(rec checkpoint.Record, s *Step, f *Asked) error {
	if r.open != nil {
		return &OrderError{rec.Seq, fmt.Sprintf("question %s is asked while %s is open", f.Question.ID, r.open.Question.ID)}
	}
	r.Asked++
	if r.under == nil {
		r.under = map[string]ledger.Digest{}
	}
	r.under[f.Question.ID] = r.Started.Plan
	r.open = &Exchange{Question: f.Question}
	if s != nil {
		s.Questions = append(s.Questions, *r.open)
		r.open = &s.Questions[len(s.Questions)-1]
	}
	return nil
}

func (r *Run) answer(rec checkpoint.Record, fact Fact) error {
	if r.open == nil {
		return &OrderError{rec.Seq, "an answer without a question"}
	}
	switch f := fact.(type) {
	case *Answered:
		if f.Answer.Question != r.open.Question.ID {
			return &OrderError{rec.Seq, fmt.Sprintf("an answer to %s while %s is open", f.Answer.Question, r.open.Question.ID)}
		}
		r.open.Answer = &f.Answer
		r.open = nil
	case *Unanswered:
		if !f.Final {
			r.open.Mistaken = append(r.open.Mistaken, *f)
			return nil
		}
		r.open.Unanswered = f
		r.open = nil
	}
	return nil
}

// apply folds a fact that concerns the step.
func (s *Step) apply(r *Run, rec checkpoint.Record, fact Fact) error {
	if r.Ended != nil {
		return &OrderError{rec.Seq, fmt.Sprintf("%s follows the end of the run", fact.Type())}
	}
	r.Status = Running
	switch f := fact.(type) {
	case *StepStarted:
		if s.Status.Over() {
			return &OrderError{rec.Seq, fmt.Sprintf("step %s starts, but it is %s already", s.Address, s.Status)}
		}
		if s.Started.IsZero() {
			s.Started = rec.Time
		}
		s.Checkpoint, s.At, s.Status = f, rec.Seq, InFlight
		s.Gates, s.Refusal = nil, nil
		r.step = s
	case *Asked:
		return r.ask(rec, s, f)
	case *Answered, *Unanswered:
		return r.answer(rec, fact)
	case *ModeSwitched:
		f.At, f.Step = rec.Time, s.Address
		r.Mode = f.To
		r.Modes = append(r.Modes, *f)
		r.ModeAt = rec.Seq
	case *Lesson:
		s.Lesson = f
	case *Addendum:
		return r.addendum(rec, s, f)
	case *Remembered:
		f.Plan = r.AskedUnder(f.Question)
		r.Remembered = append(r.Remembered, *f)
	case *Recovery:
		f.At = rec.Time
		s.Recoveries = append(s.Recoveries, *f)
		s.Next = &s.Recoveries[len(s.Recoveries)-1]
	case *Advised:
		f.At = rec.Time
		s.Advised = append(s.Advised, *f)
		r.standing.heard = insert(r.standing.heard, s)
		r.Flow.spend(f.Cost.Tokens)
	case *Patched:
		s.Patches = append(s.Patches, *f)
	case *RestoreBegun:
		r.restoring(f)
		if a := s.Last(); a != nil && a.Failure != nil && a.Discarded == (checkpoint.Snapshot{}) {
			a.Discarded = f.Discarded
		}
	case *Restored:
		r.restored(f)
	case *Compensated:
		if a := s.Last(); a != nil {
			a.Compensated = f
		}
	case *StepCompleted, *StepFailed, *StepSkipped, *StepBlocked:
		return s.end(r, rec, fact)
	case *RolledBack:
		r.rollBack(s, f)
	default:
		return s.applyAttempt(r, rec, fact)
	}
	return nil
}

// end folds the last fact of a step.
func (s *Step) end(r *Run, rec checkpoint.Record, fact Fact) error {
	if s.Status.Over() {
		return &OrderError{rec.Seq, fmt.Sprintf("%s, but step %s is %s already", fact.Type(), s.Address, s.Status)}
	}
	switch f := fact.(type) {
	case *StepCompleted:
		if s.Last() == nil {
			return &OrderError{rec.Seq, fmt.Sprintf("step %s is completed without an attempt", s.Address)}
		}
		s.Completed, s.Status = f, Completed
		s.Last().Ended = rec.Time
		r.Tree = f.Snapshot
		r.Consecutive = 0
		r.last = s
	case *StepFailed:
		s.Failed, s.Status = f, Failed
		r.Consecutive++
	case *StepSkipped:
		s.Skipped, s.Status = f, Skipped
	case *StepBlocked:
		s.Blocked, s.Status = f, Blocked
	}
	s.Over, s.EndedAt = rec.Time, rec.Seq
	if r.step == s {
		r.step = nil
	}
	r.endedStep(s)
	return nil
}

// applyAttempt folds what concerns the latest attempt.
func (s *Step) applyAttempt(r *Run, rec checkpoint.Record, fact Fact) error {
	if f, ok := fact.(*AttemptStarted); ok {
		if rec.Attempt != s.Tried()+1 {
			return &OrderError{rec.Seq, fmt.Sprintf("attempt %d of step %s follows attempt %d", rec.Attempt, s.Address, s.Tried())}
		}
		a := &Attempt{Number: rec.Attempt, Started: rec.Time, Method: *f}
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
	if f, ok := fact.(*AttemptFailed); ok && rec.Attempt == 0 {
		s.Refusal, s.Next, s.heard = f, nil, len(s.Advised)
		return nil
	}
	if f, ok := fact.(*Gates); ok && rec.Attempt == 0 {
		s.Gates = append(s.Gates, *f...)
		return nil
	}
	a := s.Last()
	if a == nil || a.Number != rec.Attempt {
		return &OrderError{rec.Seq, fmt.Sprintf("%s concerns attempt %d of step %s, which is not under way", fact.Type(), rec.Attempt, s.Address)}
	}
	r.standing.said(fact)
	switch f := fact.(type) {
	case *AttemptEnded:
		a.Said, a.Ended = f, rec.Time
		r.Flow.spend(f.Tokens)
	case *Telemetry:
		a.Telemetry = f
	case *Accounted:
		f.Inline = nil // the store knows them by now
		a.Accounted = f
	case *Cycle:
		a.Cycles = append(a.Cycles, *f)
	case *Differs:
		a.Differs = append(a.Differs, *f)
	case *Gates:
		a.Gates = append(a.Gates, *f...)
	case *AttemptFailed:
		a.Failure, a.Resumptions = f, r.Resumptions
		s.heard = len(s.Advised)
		if a.Ended.IsZero() {
			a.Ended = rec.Time
		}
	default:
		return &OrderError{rec.Seq, fmt.Sprintf("%s does not concern a step", fact.Type())}
	}
	return nil
}

// rollBack sets the run back to before s: it and everything after it has not happened,
// but what was tried stays in the journal.
func (r *Run) rollBack(s *Step, f *RolledBack) {
	r.RolledBack = append(r.RolledBack, *f)
	r.cutOff = nil
	if now := r.Current(); now != nil {
		if a := now.Last(); a != nil && a.Ended.IsZero() && a.Accounted == nil {
			r.cutOff = a
		}
	}
	after := false
	tasks, steps := map[string]bool{}, map[plan.Address]bool{}
	for _, step := range r.Steps {
		if after = after || step == s; after {
			tasks[step.Task], steps[step.Address] = true, true
			*step = Step{Outline: step.Outline, Status: Pending, Undone: append(step.Undone, step.Attempts...),
				Advised: step.Advised, Patches: step.Patches, heard: len(step.Advised), at: step.at}
		}
	}
	r.Flow.rollBack(steps, tasks)
	r.setBack()
	r.undoPipeline(tasks, f.By)
	r.Tree = f.Snapshot
	r.Consecutive = 0
	r.step, r.open, r.Restoring, r.Paused = nil, nil, nil, nil
	r.Status = Running
}
