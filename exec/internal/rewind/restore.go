package rewind

import (
	"context"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/deliveries"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// compensationTime bounds a compensation whose step has no time-out of its own.
const compensationTime = 5 * time.Minute

// A Rewind restores trees that a run had, and undoes what steps did outside of
// them.
type Rewind struct {
	*session.Session
	// Deliveries are those of a run that works in a layer.
	Deliveries *deliveries.Deliveries
	// Beside opens the journal beside that of a run that is sealed.
	Beside func(context.Context) (*checkpoint.Journal, error)
}

// Restored carries out the restore that the journal announced for an attempt of
// a step (0: none), compensation first, and says so. It can be repeated.
func (r *Rewind) Restored(ctx context.Context, s *history.Step, attempt int) error {
	if !r.Rec.Run.Started.Isolated {
		if err := r.Work.Aside().Drop(ctx); err != nil {
			return err
		}
	}
	have, err := r.Work.Restorer().KeepFirst(ctx, s.Where(attempt), r.Work.Dir)
	if err != nil {
		return err
	}
	ran, err := r.compensate(ctx, s)
	if err != nil {
		return err
	}
	if ran {
		have = nil // it may have written
	}
	// All of the tree is scanned when the next attempt is accounted for, or at
	// the end.
	done, err := r.Work.Restorer().RestoreFrom(ctx, r.Work.Dir, r.Rec.Run.Restoring.To, have, true)
	if err != nil {
		return err
	}
	return r.Rec.Record(ctx, s.Where(attempt), done)
}

// RestoredRun carries out a restore that belongs to no step: after final gates
// that changed the tree, and where foreign changes were adopted.
func (r *Rewind) RestoredRun(ctx context.Context) error {
	have, err := r.Work.Restorer().KeepFirst(ctx, history.Where{}, r.Work.Dir)
	if err != nil {
		return err
	}
	done, err := r.Work.Restorer().RestoreFrom(ctx, r.Work.Dir, r.Rec.Run.Restoring.To, have, false)
	if err != nil {
		return err
	}
	return r.Rec.Record(ctx, history.Where{}, done)
}

// compensate undoes what the latest attempt of a step did outside of the
// workspace, as the plan says, unless it has been done. It is run again where
// the controller died before it could say so. It reports whether anything was
// run.
func (r *Rewind) compensate(ctx context.Context, s *history.Step) (ran bool, err error) {
	_, step := r.Contract.At(s.Address)
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
	runner := r.Runner(step)
	runner.Aside() // what it does in the folder may be what the plan tracks
	result, err := runner.Run(ctx, gate.Command{Run: step.Compensate})
	done.Exit, done.Output = result.Exit, bound.Text(result.Output, bound.Output)
	if err != nil {
		done.Error = err.Error()
	}
	return true, r.Rec.Record(ctx, s.Where(a.Number), done)
}
