package exec

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/planlock/planlock/checkpoint/hold"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/plan"
)

// A RolledBack says what a rollback did.
type RolledBack struct {
	Run string
	// what was in the tree before. No journal refers to it where Sealed is set:
	// the next collection removes it
	Kept record.Snapshot
	// Sealed is set if the run was finished: its journal accepts nothing, so
	// only the tree was restored, and the run stays as it ended.
	Sealed bool
}

// Rollback restores the tree to the checkpoint before a step and sets the run
// back to it, so that resuming runs the step again, and all after it.
func (c *Controller) Rollback(ctx context.Context, run string, step plan.Address) (_ *RolledBack, err error) {
	defer public(&err)
	own := *c
	e := own.execution(&plan.Plan{}, nil)
	e.watched(ctx)
	if err := e.seat(); err != nil {
		return nil, err
	}
	if e.bound.Held, err = hold.Workspace(ctx, e.Work.Root); err != nil {
		return nil, err
	}
	defer e.close()
	ws := c.workspace()
	ws.Dir = e.Work.Root
	if e.Rec.Store, e.shut, err = ws.storeOf(ctx); err != nil {
		return nil, err
	}
	id, err := ws.Find(run)
	if err != nil {
		return nil, err
	}
	if err := e.openRun(ctx, ws, id); err != nil {
		return nil, err
	}
	if e.Rec.Run.Started.Shadow && e.Rec.Run.Ended != nil {
		return nil, &session.Refusal{Run: id, Reasons: []string{"the run was a trial: its clone is gone, and the workspace is as it was before it"}, Hint: "run the plan"}
	}
	s := e.Rec.Run.Step(step)
	if s == nil {
		return nil, fmt.Errorf("exec: run %s has no step %q", id, step)
	}
	to, err := before(e.Rec.Run, s)
	if err != nil {
		return nil, err
	}
	if e.Plan, err = ws.Plan(ctx, e.Rec.Run); err != nil {
		return nil, err
	}
	e.Files, own.LockFile, e.NoSandbox = e.Rec.Run.Started.Files, e.Rec.Run.Started.LockFile,
		e.Rec.Run.Started.NoSandbox
	e.equip()
	if e.Rec.Run.Started.Isolated && e.Rec.Run.Delivered == nil {
		e.Work.Dir = filepath.Join(ws.RunDir(id), "clone")
		if err := disk.From(ctx).Anywhere().MakeFolders(e.Work.Dir, 0o755); err != nil {
			return nil, fmt.Errorf("exec: clone: %w", err)
		}
	}
	if e.Rec.Run.Delivered != nil && e.Rec.Run.Ended == nil {
		return nil, &session.Refusal{Run: id, Reasons: []string{"the run was cut off while it ended"}, Hint: "resume it first"}
	}
	if e.Rec.Run.Paused == nil {
		e.Work.TouchedAll(e.Work.Dir) // whoever had the run in hand did not sync what it wrote
	}
	return e.rollBack(ctx, s, to)
}

// before is the checkpoint before a step, also of one that has not begun.
func before(run *history.Run, s *history.Step) (record.Snapshot, error) {
	switch {
	case s.Checkpoint != nil:
		return s.Checkpoint.Checkpoint, nil
	case contract.Current(run) == nil || contract.Current(run) == s:
		return run.Tree, nil
	}
	return record.Snapshot{}, fmt.Errorf("exec: step %s has no checkpoint: it has not begun", s.Address)
}

func (e *execution) rollBack(ctx context.Context, s *history.Step, to record.Snapshot) (*RolledBack, error) {
	tree, err := e.Work.Tolerant().Scan(ctx, e.Work.Dir, nil)
	if err != nil {
		return nil, err
	}
	done := &RolledBack{Run: e.Rec.Run.Started.Run, Sealed: e.Rec.Run.Ended != nil}
	if done.Kept, err = e.Rec.Store.Snapshot(ctx, e.Work.Dir, tree, e.Rec.Run.Tree); err != nil {
		return nil, err
	}
	if done.Sealed {
		_, err := e.Work.Restore(ctx, e.Work.Dir, to)
		return done, errors.Join(err, e.Work.MakeDurable(ctx))
	}
	if err := e.unwind(ctx, s); err != nil {
		return done, err
	}
	// The position moves first: if the restore is cut off, resuming finishes
	// it.
	err = e.Rec.Record(ctx, history.Of(s, 0), &history.RolledBack{To: s.Address, Snapshot: to},
		&history.RestoreBegun{To: to, Discarded: done.Kept})
	if err != nil {
		return nil, err
	}
	restored, err := e.Work.Restore(ctx, e.Work.Dir, to)
	if err != nil {
		return done, err
	}
	if err := e.Rec.Record(ctx, history.Of(s, 0), restored); err != nil {
		return done, err
	}
	return done, e.Pause(ctx, "rolled back to before "+string(s.Address), nil)
}

// setBack carries a rollback out within the run, which goes on from there.
func (e *execution) setBack(ctx context.Context, to *history.Step, by string) error {
	tree, err := e.Work.Tolerant().Scan(ctx, e.Work.Dir, nil)
	if err != nil {
		return err
	}
	kept, err := e.Rec.Store.Snapshot(ctx, e.Work.Dir, tree, e.Rec.Run.Tree)
	if err != nil {
		return err
	}
	if err := e.unwind(ctx, to); err != nil {
		return e.Pause(ctx, "rolling back failed",
			fmt.Errorf("exec: the run cannot be set back to before %s: %w", to.Address, err))
	}
	target := to.Checkpoint.Checkpoint
	// The position moves first: if the restore is cut off, resuming finishes
	// it.
	return e.Rec.Record(ctx, history.Of(to, 0), &history.RolledBack{To: to.Address, Snapshot: target, By: by},
		&history.RestoreBegun{To: target, Discarded: kept})
}

// unwind undoes what the steps from s on did outside of the workspace: those
// that can be compensated are, the latest first. One that is irreversible, and
// has been attempted, is refused.
func (e *execution) unwind(ctx context.Context, s *history.Step) error {
	from := slices.Index(e.Rec.Run.Steps, s)
	var done []*history.Step
	for _, step := range slices.Backward(e.Rec.Run.Steps[from:]) {
		if len(step.Attempts) == 0 {
			continue
		}
		if step.Rollback == plan.Irreversible {
			return &session.Refusal{Run: e.Rec.Run.Started.Run,
				Reasons: []string{
					fmt.Sprintf("step %s is irreversible and has been attempted: it cannot be rolled back",
						step.Address)},
				Hint: "roll back to a later step"}
		}
		if step.Status == history.Completed {
			done = append(done, step)
		}
	}
	for _, step := range done {
		if _, err := e.compensate(ctx, step); err != nil {
			return err
		}
		if c := step.Last().Compensated; c != nil && !c.Done() {
			return fmt.Errorf("exec: step %s could not be compensated (exit %d %s): %s", step.Address, c.Exit,
				c.Error, c.Output)
		}
	}
	return nil
}
