package exec

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// carryOn carries the run on from wherever its history stands, until it ends or
// must stop. It looks at nothing but the history to know what comes next, so
// that going on after a crash is no case of its own.
func (e *execution) carryOn(ctx context.Context) error {
	for e.run.Ended == nil {
		if e.run.Restoring != nil && e.run.Current() == nil {
			if err := e.restoredRun(ctx); err != nil {
				return err
			}
			continue
		}
		if interrupted(ctx) {
			return e.pause(ctx, "interrupted", context.Cause(ctx))
		}
		if acted, err := e.conclude(ctx); err != nil {
			return err
		} else if acted {
			continue
		}
		if err := e.keepUp(ctx); err != nil {
			return err
		}
		if err := e.teach(ctx); err != nil {
			return err
		}
		step := e.nextStep()
		if step == nil {
			break
		}
		if asked, err := e.heed(ctx, step); err != nil {
			return err
		} else if asked {
			continue
		}
		if err := e.spend(ctx, step); err != nil {
			return err
		}
		if asked, err := e.askAboutStage(ctx); err != nil {
			return err
		} else if asked {
			continue
		}
		if err := e.advance(ctx, step); err != nil {
			return err
		}
	}
	if e.run.Ended == nil {
		if err := e.tasksOver(ctx, true); err != nil {
			return err
		}
	}
	return e.complete(ctx)
}

// nextStep is the step that is under way, or the first that is not over; nil
// when none is left or a failure halted the run.
func (e *execution) nextStep() *history.Step {
	if s := e.run.Current(); s != nil {
		return s
	}
	if q := e.run.Pending(); q != nil && e.run.Step(q.Step) != nil {
		return e.run.Step(q.Step) // asked before it began
	}
	for _, s := range e.run.NotCompleted() {
		if s.Failed != nil && s.Failed.Halts {
			return nil
		}
	}
	for _, s := range e.run.Open() {
		if s.Status == history.Pending {
			return s
		}
	}
	return nil
}

// advance does the next thing that a step needs.
func (e *execution) advance(ctx context.Context, s *history.Step) error {
	last := s.Last()
	to, by := e.setBackWanted(s)
	switch {
	case e.run.Restoring != nil:
		return e.restored(ctx, s, s.Tried())
	case e.run.Pending() != nil:
		return e.askAgain(ctx, s)
	case to != nil:
		return e.setBack(ctx, to, by)
	case s.Status == history.Pending:
		return e.startStep(ctx, s)
	case last != nil && last.Failure == nil:
		return e.lose(ctx, s)
	case s.Refusal != nil && s.Next == nil:
		return e.climb(ctx, s, s.Refusal)
	case s.At < e.run.ResumedAt && e.goesOn(s):
		return e.before(ctx, s, s.Checkpoint) // nobody knows what became of its preconditions meanwhile
	case s.Next != nil:
		return e.tryAgain(ctx, s)
	case last == nil:
		return e.attempt(ctx, s, e.method(s, firstMethod(s)))
	case e.cutOff(s, last) && s.Rollback != plan.Irreversible:
		// Nothing was wrong with the method.
		return e.attempt(ctx, s, e.method(s, last.Method.Method))
	}
	return e.climb(ctx, s, last.Failure)
}

// goesOn reports whether the next thing to do for a step is an attempt.
func (e *execution) goesOn(s *history.Step) bool {
	last := s.Last()
	return s.Next != nil || last == nil || e.cutOff(s, last) && s.Rollback != plan.Irreversible
}

// cutOff reports whether an attempt failed for no fault of its own: it was
// interrupted or lost, or something moved that is in its place again, since the
// run was taken up.
func (e *execution) cutOff(s *history.Step, a *history.Attempt) bool {
	switch a.Failure.Class {
	case history.Interrupted, history.Lost:
		return true
	case history.ContextExhausted:
		return exhaustions(s) <= maxExhaustions
	case history.Moved:
		return e.run.Resumptions > a.Resumptions
	}
	return false
}

// maxExhaustions is how often an executor may run out of context before that is a failure like any other.
const maxExhaustions = 3

// exhaustions counts the attempts of a step for which the executor's context was too small.
func exhaustions(s *history.Step) int {
	n := 0
	for _, a := range s.Attempts {
		if a.Failure != nil && a.Failure.Class == history.ContextExhausted {
			n++
		}
	}
	return n
}

// startStep verifies that nothing moved, reads what happened before, and takes
// the checkpoint.
func (e *execution) startStep(ctx context.Context, s *history.Step) error {
	if by := e.blocker(s); by != nil && !chosen(s, ask.Dependency, goOn) {
		if asked, err := e.askAboutDependency(ctx, s, by); asked || err != nil {
			return err
		}
		return e.leaveOut(ctx, s, e.blockedBy(s, by))
	}
	if asked, err := e.escalateBefore(ctx, s); asked || err != nil {
		return err
	}
	if left, err := e.afterUnproven(ctx, s); left || err != nil {
		return err
	}
	if err := e.verifyFor(ctx, s); err != nil {
		return e.letGo(ctx, err)
	}
	if left, err := e.acknowledgedAsDone(ctx, s); left || err != nil {
		return err
	}
	if acted, err := e.submit(ctx, s); acted || err != nil {
		return err
	}
	if asked, err := e.askAboutRepetition(ctx, s); asked || err != nil {
		return err
	}
	if asked, err := e.atCheckpoint(ctx, s); asked || err != nil {
		return err
	}
	if asked, err := e.comply(ctx, s); asked || err != nil {
		return err
	}
	if asked, err := e.foresee(ctx, s); asked || err != nil {
		return err
	}
	decision, err := e.propagate(ctx, s)
	if err != nil || decision == nil {
		return err
	}
	if asked, err := e.educate(ctx, s); asked || err != nil {
		return err
	}
	return e.before(ctx, s, decision)
}

// askAboutRepetition asks before a step that cannot be undone runs once more
// after the run was set back.
func (e *execution) askAboutRepetition(ctx context.Context, s *history.Step) (bool, error) {
	if s.Rollback != plan.Irreversible || len(s.Undone) == 0 || s.Rungs(recovery.AskRung) > 0 {
		return false, nil
	}
	return true, e.ask(ctx, s, e.question(s, ask.InFlight, "step "+title(s),
		"the run was set back to before it, and what it did outside of the workspace cannot be undone",
		[]string{fmt.Sprintf("it has been attempted %d times", len(s.Undone))},
		e.choiceAgain(s), choiceSkip(s), choiceStop(), choiceGiveUp(s)))
}

// tryAgain does what the ladder, or a person, decided.
func (e *execution) tryAgain(ctx context.Context, s *history.Step) error {
	if !e.wait(ctx, s.Next.At, s.Next.After) {
		return nil // the loop stops
	}
	if err := e.verifyFor(ctx, s); err != nil {
		return e.letGo(ctx, err)
	}
	if s.Refusal != nil {
		// It was not allowed to begin; see whether it is now.
		return e.before(ctx, s, s.Checkpoint)
	}
	return e.attempt(ctx, s, e.method(s, s.Next.Method))
}

// wait lets time pass until d after since, which stands in the journal, and reports whether the run goes on. So a run that
// is killed and resumed while it waits comes to the end of it, and a clock that was set back makes it wait d anew, not longer.
func (e *execution) wait(ctx context.Context, since time.Time, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	if passed := e.c.now().Sub(since); passed > 0 {
		d -= min(passed, d)
	}
	e.unsure() // somebody may use the time
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// leaveOut ends a step that does not run.
func (e *execution) leaveOut(ctx context.Context, s *history.Step, facts ...history.Fact) error {
	if err := e.record(ctx, of(s, 0), facts...); err != nil {
		return err
	}
	e.notify(e.c.Observer.StepDone, Event{History: s})
	return nil
}

// blocker is the step because of which s cannot run, or nil: a critical step
// that failed or was blocked, before s in its task, or in a task or speclet that s depends on.
func (e *execution) blocker(s *history.Step) *history.Step {
	for _, other := range e.run.NotCompleted() {
		if !other.Precedes(s) {
			break
		}
		if other.Status != history.Blocked && !(other.Status == history.Failed && other.Critical) {
			continue
		}
		if other.Task == s.Task || e.depends.on(s.Task, other.Task) {
			return other
		}
	}
	return nil
}

// pause lets go of the run in a way that can be resumed.
func (e *execution) pause(ctx context.Context, why string, cause error) error {
	if err := e.comeToRest(ctx); err != nil {
		return errors.Join(cause, err)
	}
	if err := e.record(ctx, history.Where{}, &history.Paused{Why: why}); err != nil {
		return errors.Join(cause, err)
	}
	e.tellNext(ctx)
	return cause
}

// letGo pauses the run if err is a refusal, so that it can be resumed when what
// moved is as it was.
func (e *execution) letGo(ctx context.Context, err error) error {
	var refused *RefusedError
	if errors.As(err, &refused) {
		return e.pause(ctx, refused.Error(), err)
	}
	return err
}

// step is the plan's side of a step.
func (e *execution) step(s *history.Step) (*plan.Task, *plan.Step) {
	at := e.index[s.Address]
	return at.task, at.step
}
