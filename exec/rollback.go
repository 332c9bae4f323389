package exec

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/internal/rewind"
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
	e := c.execution(&plan.Plan{}, nil)
	e.watched(ctx)
	if err := e.seat(); err != nil {
		return nil, err
	}
	defer e.close()
	if err := e.occupy(ctx); err != nil {
		return nil, err
	}
	if err := (home{e}).Open(ctx, run); err != nil {
		return nil, err
	}
	id := e.Rec.Run.Started.Run
	if e.Rec.Run.Started.Shadow && e.Rec.Run.Ended != nil {
		return nil, &session.Refusal{Run: id, Reasons: []string{"the run was a trial: its clone is gone, and the workspace is as it was before it"}, Hint: "run the plan"}
	}
	s := e.Rec.Run.Step(step)
	if s == nil {
		return nil, fmt.Errorf("exec: run %s has no step %q", id, step)
	}
	to, err := rewind.Before(e.Rec.Run, s)
	if err != nil {
		return nil, err
	}
	if e.Plan, err = e.workspace().Plan(ctx, e.Rec.Run); err != nil {
		return nil, err
	}
	e.Files, e.LockFile, e.NoSandbox = e.Rec.Run.Started.Files, e.Rec.Run.Started.LockFile,
		e.Rec.Run.Started.NoSandbox
	e.equip()
	if e.Rec.Run.Started.Isolated && e.Rec.Run.Delivered == nil {
		e.Work.Dir = filepath.Join(e.Runs.RunDir(id), "clone")
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
	kept, err := e.rewind.RollBack(ctx, s, to)
	if kept == nil {
		return nil, err
	}
	return &RolledBack{Run: id, Kept: kept.Tree, Sealed: kept.Sealed}, err
}
