package exec

import (
	"context"
	"time"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/bound"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// compensationTime bounds a compensation whose step has no time-out of its own.
const compensationTime = 5 * time.Minute

// restored carries out the restore that the journal announced for an attempt of
// a step (0: none), compensation first, and says so. It can be repeated.
func (e *execution) restored(ctx context.Context, s *history.Step, attempt int) error {
	have, err := e.work.KeepFirst(ctx, history.Of(s, attempt), e.work.Dir)
	if err != nil {
		return err
	}
	ran, err := e.compensate(ctx, s)
	if err != nil {
		return err
	}
	if ran {
		have = nil // it may have written
	}
	// All of the tree is scanned when the next attempt is accounted for, or at
	// the end.
	done, err := e.work.RestoreFrom(ctx, e.work.Dir, e.rec.Run.Restoring.To, have, e.work.Scanner.ScanWritten)
	if err != nil {
		return err
	}
	e.work.RestoredPartly()
	if err := e.rec.Record(ctx, history.Of(s, attempt), done); err != nil {
		return err
	}
	e.notify(e.c.Observer.Restored, Event{History: s, Attempt: attempt})
	return nil
}

// restoredRun carries out a restore that belongs to no step: after final gates
// that changed the tree, and when an isolated run is delivered.
func (e *execution) restoredRun(ctx context.Context) error {
	dir := e.work.Dir
	if e.rec.Run.Restoring.Deliver {
		dir = e.work.Root
	}
	have, err := e.work.KeepFirst(ctx, history.Where{}, dir)
	if err != nil {
		return err
	}
	deliver := e.rec.Run.Restoring.Deliver
	done, err := e.work.RestoreFrom(ctx, dir, e.rec.Run.Restoring.To, have, e.work.ScanAll)
	if err != nil {
		return err
	}
	facts := []history.Fact{done}
	if deliver {
		if err := e.work.MakeDurable(ctx, dir); err != nil {
			return err // it is delivered again when the run is taken up
		}
		facts = append(facts, &history.Delivered{Tree: done.Tree})
	}
	return e.rec.Record(ctx, history.Where{}, facts...)
}

// warn tells of what went wrong without consequences for the run, and what can
// be done about it.
func (e *execution) warn(text string, actions ...action.Action) {
	e.rec.Log.Warn(text, "run", e.rec.Run.Started.Run)
	e.notify(e.c.Observer.Warning, Event{Text: text, Actions: actions})
}

// compensate undoes what the latest attempt of a step did outside of the
// workspace, as the plan says, unless it has been done. It is run again where
// the controller died before it could say so. It reports whether anything was
// run.
func (e *execution) compensate(ctx context.Context, s *history.Step) (ran bool, err error) {
	step := e.contract.At(s.Address).Step
	a := s.Last()
	if step.Rollback != plan.Compensatable || step.Compensate == "" || a == nil || a.Compensated != nil {
		return false, nil
	}
	limit := step.Timeout
	if limit <= 0 {
		limit = compensationTime
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	done := &history.Compensated{Run: step.Compensate}
	result, err := e.runner(step).Run(ctx, gate.Command{Run: step.Compensate})
	done.Exit, done.Output = result.Exit, bound.Text(result.Output, bound.Output)
	if err != nil {
		done.Error = err.Error()
	}
	return true, e.rec.Record(ctx, history.Of(s, a.Number), done)
}
