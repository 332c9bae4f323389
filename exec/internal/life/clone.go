package life

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// clone makes the folder in which an isolated run works. It can be repeated:
// what a controller that died left half made is completed.
func (l *Life) clone(ctx context.Context) error {
	if !l.Rec.Run.Started.Isolated {
		return nil
	}
	l.Work.Dir = filepath.Join(l.Home.RunDir(l.Rec.Run.Started.Run), "clone")
	if err := disk.From(ctx).Anywhere().MakeFolders(l.Work.Dir, 0o755); err != nil {
		return fmt.Errorf("exec: clone: %w", err)
	}
	whole := l.Work.Scanner
	whole.Scope.Track = nil // the clone begins with what is only watched, too
	have, err := whole.Scan(ctx, l.Work.Dir, nil)
	if err != nil {
		return err
	}
	want, err := l.Rec.Store.Tree(ctx, l.Rec.Run.Tree)
	if err != nil {
		return err
	}
	l.Work.TouchedAll(l.Work.Dir)
	if err := l.Rec.Store.Restore(ctx, l.Work.Dir, want, have); err != nil {
		return err
	}
	l.Work.Tree, err = l.Work.Scanner.Scan(ctx, l.Work.Dir, nil)
	return err
}

// cloneable refuses an isolated run where the clone would not have what the
// plan watches.
func (l *Life) cloneable() error {
	if !l.Isolates() {
		return nil
	}
	for entry := range l.Work.Base.All() {
		if l.Work.Base.Level(entry.Path) == ledger.Stamps {
			return &session.Refusal{Hint: "run it neither isolated nor as a trial, or move the glob that covers it to track or ignore of [ledger]",
				Reasons: []string{fmt.Sprintf("%q is watched by its stamps only, so its content is not kept, and the clone of an isolated run would not have it", entry.Path)}}
		}
	}
	return nil
}

// harmless refuses a trial of steps that would leave traces outside of the
// clone.
func (l *Life) harmless(format plan.Format) error {
	if !l.Shadow {
		return nil
	}
	refused := &session.Refusal{Hint: "try a plan of the other steps; or run this one for real, not as a trial"}
	for _, o := range l.outline(format) {
		if o.Rollback == plan.Compensatable || o.Rollback == plan.Irreversible {
			refused.Reasons = append(refused.Reasons, fmt.Sprintf("step %s is %s: what it does outside of the workspace would be no trial", o.Address, o.Rollback))
		}
	}
	if len(refused.Reasons) == 0 {
		return nil
	}
	return refused
}
