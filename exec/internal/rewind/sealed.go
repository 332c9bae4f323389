package rewind

import (
	"context"
	"errors"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/history"
)

// setBackSealed restores the tree before a step of a run that is sealed. The
// journal beside that of the run says so first, and that it is done at the end:
// where it is cut off between the two, doing it again finishes it.
func (r *Rewind) setBackSealed(ctx context.Context, s *history.Step, to, kept record.Snapshot,
	by, why string) (err error) {
	run := r.Rec.Run
	if err := r.Home.Note(ctx, run.Started.Run, checkpoint.SetBack); err != nil {
		return err // whoever begins a run must know that this one is not as it was sealed
	}
	beside, err := r.Beside(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, beside.Close()) }()
	if err := run.RecordAfter(ctx, beside.Append, s.Where(0).Locate(moved(s, to, kept, by, why)...)...); err != nil {
		return err
	}
	done := &history.Restored{Tree: to.Tree}
	if r.Places() {
		err = r.Deliveries.GoBack(ctx, to)
	} else if done, err = r.Work.Restorer().Restore(ctx, r.Work.Dir, to); err == nil {
		err = r.Work.Unsynced().Sync(ctx)
	}
	if err != nil {
		return err
	}
	return run.RecordAfter(ctx, beside.Append, s.Where(0).Locate(done)...)
}
