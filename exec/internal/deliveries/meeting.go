package deliveries

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/lane"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/ledger"
)

// met records that work could not be delivered as a whole, because somebody
// else was there.
func (d *Deliveries) met(ctx context.Context, from, to *ledger.Tree) error {
	now, err := d.scan(ctx)
	if err != nil {
		return err
	}
	theirs, s := ledger.Diff(to, now), d.made()
	if s != nil {
		theirs = meeting(ledger.Diff(from, to), theirs)
	}
	switch {
	case len(theirs) == 0: // what they did is gone again
		return d.delivered(ctx)
	case s == nil:
		return d.found(ctx, d.near(nil), now, now, theirs, false)
	}
	before, err := d.tree(ctx, s.Checkpoint.Checkpoint)
	if err != nil {
		return err
	}
	return d.foundAt(ctx, s, before, to, now, theirs, theirs)
}

// foundAt records what somebody else did where a step worked: all that stands
// there is not what the step left, theirs is not what it found either. What they
// did elsewhere is looked for before the next step.
func (d *Deliveries) foundAt(ctx context.Context, s *history.Step, before, to, now *ledger.Tree, all,
	theirs []ledger.Change) error {
	holds, err := worktree.With(to, all, now)
	if err != nil {
		return err
	}
	adopt, err := worktree.With(before, theirs, now)
	if err != nil {
		return err
	}
	return d.found(ctx, s, holds, adopt, theirs, true)
}

// meeting are those of others' changes that meet ours: at the same paths, of
// folders on the way to them, and in folders that we removed.
func meeting(ours, theirs []ledger.Change) []ledger.Change {
	at, above, gone := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, c := range ours {
		at[c.Path] = true
		if c.After == nil || c.After.Kind != ledger.Dir {
			gone[c.Path] = true
		}
		for folder := path.Dir(c.Path); folder != "."; folder = path.Dir(folder) {
			above[folder] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(theirs), func(c ledger.Change) bool {
		if at[c.Path] || above[c.Path] && (c.After == nil || c.After.Kind != ledger.Dir) {
			return false
		}
		for folder := path.Dir(c.Path); folder != "."; folder = path.Dir(folder) {
			if gone[folder] {
				return false
			}
		}
		return true
	})
}

// made is the step whose work is delivered, nil if none made it.
func (d *Deliveries) made() *history.Step {
	var last *history.Step
	for _, s := range d.Rec.Run.Concluded() {
		if s.Completed != nil && s.Completed.Snapshot.Tree == d.Rec.Run.Tree.Tree {
			last = s
		}
	}
	return last
}

// near is the step that something is asked at which concerns the run.
func (d *Deliveries) near(s *history.Step) *history.Step {
	if s == nil {
		s = lane.Next(d.Rec.Run)
	}
	if s == nil {
		s = d.Rec.Run.Steps[len(d.Rec.Run.Steps)-1]
	}
	return s
}

// found records what somebody else did: the workspace holds now, and adopt is
// the tree that the run goes on from if that is kept.
func (d *Deliveries) found(ctx context.Context, s *history.Step, now, adopt *ledger.Tree, theirs []ledger.Change,
	met bool) error {
	f := &history.Foreign{Met: met, Changes: bound.First(worktree.Described(theirs), bound.Lines)}
	var err error
	if f.Tree, err = d.Rec.Store.Snapshot(ctx, d.Work.Root, now, d.Rec.Run.Tree); err != nil {
		return fmt.Errorf("exec: what others did in the workspace cannot be kept: %w", err)
	}
	if f.Adopt = f.Tree; met {
		if f.Adopt, err = d.Rec.Store.Snapshot(ctx, d.Work.Root, adopt, f.Tree); err != nil {
			return fmt.Errorf("exec: what others did in the workspace cannot be kept: %w", err)
		}
	}
	return d.Rec.Record(ctx, s.Where(0), f)
}

// Look finds out whether anybody else worked in the workspace, before a step;
// nil for the end of the run. Nobody looks for an isolated run before it
// delivers.
func (d *Deliveries) Look(ctx context.Context, s *history.Step) error {
	run := d.Rec.Run
	if !run.Started.Layered() || run.Started.Isolated {
		d.Rec.Seen.Saw(guard.Workspace)
		return nil
	}
	now, err := d.scan(ctx)
	if err != nil {
		return err
	}
	if now.Digest() == run.Placed.Tree {
		d.Rec.Seen.Saw(guard.Workspace)
		return nil
	}
	held, err := d.tree(ctx, run.Placed)
	if err != nil {
		return err
	}
	return d.found(ctx, d.near(s), now, now, ledger.Diff(held, now), false)
}

// holdsSame reports whether a tree holds an entry, or nothing, at a path.
func holdsSame(tree *ledger.Tree, path string, e *ledger.Entry) bool {
	has, ok := tree.Lookup(path)
	return ok == (e != nil) && (!ok || has.Same(*e))
}
