package exec

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// isolates reports whether a new run works in a clone.
func (e *execution) isolates() bool { return e.c.Isolate || e.c.Shadow }

// clone makes the folder in which an isolated run works.
func (e *execution) clone(ctx context.Context) error {
	if !e.Rec.Run.Started.Isolated {
		return nil
	}
	ws := e.workspace()
	e.Work.Dir = filepath.Join(ws.RunDir(e.Rec.Run.Started.Run), "clone")
	if err := disk.From(ctx).Anywhere().MakeFolders(e.Work.Dir, 0o755); err != nil {
		return fmt.Errorf("exec: clone: %w", err)
	}
	whole := e.Work.Scanner
	whole.Scope.Track = nil // the clone begins with what is only watched, too
	have, err := whole.Scan(ctx, e.Work.Dir, nil)
	if err != nil {
		return err
	}
	want, err := e.Rec.Store.Tree(ctx, e.Rec.Run.Tree)
	if err != nil {
		return err
	}
	e.Work.TouchedAll(e.Work.Dir)
	if err := e.Rec.Store.Restore(ctx, e.Work.Dir, want, have); err != nil {
		return err
	}
	e.Work.Tree, err = e.Work.Scanner.Scan(ctx, e.Work.Dir, nil)
	return err
}

// cloneable refuses an isolated run where the clone would not have what the
// plan watches.
func (e *execution) cloneable() error {
	if !e.isolates() {
		return nil
	}
	for entry := range e.Work.Base.All() {
		if e.Work.Base.Level(entry.Path) == ledger.Stamps {
			return &session.Refusal{Hint: "run it neither isolated nor as a trial (Controller.Isolate, Controller.Shadow), or move the glob that covers it to track or ignore of [ledger]",
				Reasons: []string{fmt.Sprintf("%q is watched by its stamps only, so its content is not kept, and the clone of an isolated run would not have it", entry.Path)}}
		}
	}
	return nil
}

// harmless refuses a trial of steps that would leave traces outside of the
// clone.
func (e *execution) harmless(format plan.Format) error {
	if !e.c.Shadow {
		return nil
	}
	refused := &session.Refusal{Hint: "try a plan of the other steps; or run this one for real, not as a trial (Controller.Shadow)"}
	for _, o := range e.outline(format) {
		if o.Rollback == plan.Compensatable || o.Rollback == plan.Irreversible {
			refused.Reasons = append(refused.Reasons, fmt.Sprintf("step %s is %s: what it does outside of the workspace would be no trial", o.Address, o.Rollback))
		}
	}
	if len(refused.Reasons) == 0 {
		return nil
	}
	return refused
}
