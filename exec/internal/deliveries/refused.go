package deliveries

import (
	"context"
	"fmt"
	"strings"

	"github.com/planlock/planlock/checkpoint/delivery"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/ledger"
)

// A Refused is a change that no delivery takes.
type Refused struct {
	ledger.Change
	Why error // continues a sentence that begins with the path
}

// RefusedOf are those of changes that no delivery takes. Entries of which a tree
// has only the names are never delivered, and none of them.
func RefusedOf(tree *ledger.Tree, changes []ledger.Change) []Refused {
	var list []Refused
	for _, c := range changes {
		if why := delivery.Refuses(c); why != nil && tree.Level(c.Path) != ledger.Stamps {
			list = append(list, Refused{c, why})
		}
	}
	return list
}

// deliverable are the changes that can be brought into a workspace: not those
// of entries of which only the names are known, nor what is refused.
func deliverable(tree *ledger.Tree, all []ledger.Change) []ledger.Change {
	var list []ledger.Change
	for _, c := range all {
		if tree.Level(c.Path) != ledger.Stamps && delivery.Refuses(c) == nil {
			list = append(list, c)
		}
	}
	return list
}

// leaveOut has the run go on without what no delivery takes, so that all else of
// it can be delivered, and tells. No attempt that leaves such is accepted; a run
// has it from an earlier version, or because of what somebody else did.
func (d *Deliveries) leaveOut(ctx context.Context, from, to *ledger.Tree) (*ledger.Tree, error) {
	left := RefusedOf(to, ledger.Diff(from, to))
	if len(left) == 0 {
		return to, nil
	}
	var back []ledger.Change
	var names []string
	for _, r := range left {
		back = append(back, ledger.Change{Path: r.Path, After: r.Before})
		names = append(names, ledger.Quote(r.Path))
	}
	to, err := worktree.With(to, back, from)
	if err != nil {
		return nil, err
	}
	snap, err := d.Rec.Store.Snapshot(ctx, d.Work.Root, to, d.Rec.Run.Tree)
	if err != nil {
		return nil, fmt.Errorf("exec: what remains of the work cannot be kept: %w", err)
	}
	facts := d.near(nil).Where(0).Locate(&history.Settled{Tree: snap, By: "planlock"})
	if err := d.Rec.RecordAll(ctx, facts...); err != nil {
		return nil, err
	}
	d.Warn("what is never delivered is left out, and the workspace keeps what it has there: " +
		strings.Join(bound.First(names, 5), ", "))
	return d.Work.TakeBack(ctx, to)
}
