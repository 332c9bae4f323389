package exec

import (
	"context"
	"time"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// compensationTime bounds a compensation whose step has no time-out of its own.
const compensationTime = 5 * time.Minute

// restored carries out the restore that the journal announced for an attempt of
// a step (0: none), compensation first, and says so. It can be repeated.
func (e *execution) restored(ctx context.Context, s *history.Step, attempt int) error {
	have, err := e.Work.KeepFirst(ctx, history.Of(s, attempt), e.Work.Dir)
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
	done, err := e.Work.RestoreFrom(ctx, e.Work.Dir, e.Rec.Run.Restoring.To, have, e.Work.Scanner.ScanWritten)
	if err != nil {
		return err
	}
	e.Work.RestoredPartly()
	return e.Rec.Record(ctx, history.Of(s, attempt), done)
}

// restoredRun carries out a restore that belongs to no step: after final gates
// that changed the tree, and when an isolated run is delivered.
func (e *execution) restoredRun(ctx context.Context) error {
	dir := e.Work.Dir
	if e.Rec.Run.Restoring.Deliver {
		dir = e.Work.Root
	}
	have, err := e.Work.KeepFirst(ctx, history.Where{}, dir)
	if err != nil {
		return err
	}
	deliver := e.Rec.Run.Restoring.Deliver
	done, err := e.Work.RestoreFrom(ctx, dir, e.Rec.Run.Restoring.To, have, e.Work.ScanAll)
	if err != nil {
		return err
	}
	facts := []history.Fact{done}
	if deliver {
		if err := e.Work.MakeDurable(ctx, dir); err != nil {
			return err // it is delivered again when the run is taken up
		}
		facts = append(facts, &history.Delivered{Tree: done.Tree})
	}
	return e.Rec.Record(ctx, history.Where{}, facts...)
}

// compensate undoes what the latest attempt of a step did outside of the
// workspace, as the plan says, unless it has been done. It is run again where
// the controller died before it could say so. It reports whether anything was
// run.
func (e *execution) compensate(ctx context.Context, s *history.Step) (ran bool, err error) {
	step := e.Contract.At(s.Address).Step
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
	result, err := e.Runner(step).Run(ctx, gate.Command{Run: step.Compensate})
	done.Exit, done.Output = result.Exit, bound.Text(result.Output, bound.Output)
	if err != nil {
		done.Error = err.Error()
	}
	return true, e.Rec.Record(ctx, history.Of(s, a.Number), done)
}
