package exec

import (
	"context"
	"errors"

	"github.com/planlock/planlock/exec/history"
)

// undo records why an attempt failed and restores the checkpoint. What is
// undone is kept, so that nothing anybody did is lost.
func (e *execution) undo(ctx context.Context, t *trial, f *fault) error {
	begun := &history.RestoreBegun{To: e.Rec.Run.Tree, Discarded: t.snap}
	facts := append(t.facts(), f.bounded(), begun)
	if err := e.Rec.Record(ctx, history.Of(t.s, t.number), facts...); err != nil {
		// The journal is dead. The tree is restored all the same; the next
		// controller finds the attempt unfinished and restores it once more.
		_, again := e.Work.Restore(ctx, e.Work.Dir, begun.To)
		return errors.Join(err, again)
	}
	if err := e.restored(ctx, t.s, t.number); err != nil {
		return err
	}
	if f.Class != history.Moved {
		return nil
	}
	refused, err := e.bound.Moved(ctx)
	if err != nil || refused == nil {
		return err // what moved was the step's own doing, and is undone
	}
	return e.LetGo(ctx, refused)
}
