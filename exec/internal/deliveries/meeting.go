package deliveries

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/planlock/planlock/checkpoint/record"
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
	theirs, made := ledger.Diff(to, now), d.made()
	if len(made) > 0 {
		theirs = meeting(ledger.Diff(from, to), theirs)
	}
	if len(theirs) == 0 { // what they did is gone again
		return d.delivered(ctx)
	}
	for n, s := range made {
		before, err := d.without(ctx, s, to)
		if err != nil {
			return err
		}
		own := meeting(ledger.Diff(before, to), theirs)
		if n+1 == len(made) && s.Completed.Snapshot.Tree == to.Digest() {
			own = theirs // nothing of it met the others
		}
		if len(own) > 0 {
			return d.metBy(ctx, s, finding{theirs: own, before: before}, from, to, now, theirs)
		}
	}
	return d.metByNone(ctx, from, to, now, theirs)
}

// metByNone records that what no step of this run made met what somebody else
// did: it took that over from another run, or adopted it. Theirs is kept whole,
// and what they left alone is delivered all the same.
func (d *Deliveries) metByNone(ctx context.Context, from, to, now *ledger.Tree, theirs []ledger.Change) error {
	theirs = slices.DeleteFunc(theirs, func(c ledger.Change) bool { return holdsSame(from, c.Path, c.After) })
	adopt, err := worktree.With(to, theirs, now)
	if err != nil {
		return err
	}
	return d.found(ctx, d.near(nil), finding{holds: now, theirs: theirs, adopt: adopt})
}

// metBy records that the work of a step met what somebody else did. It is the
// first of several that were delivered at once: what they did where the others
// worked is met when the rest is delivered, which the workspace does not hold
// until then.
func (d *Deliveries) metBy(ctx context.Context, s *history.Step, f finding, from, to, now *ledger.Tree,
	all []ledger.Change) (err error) {
	var later []ledger.Change
	for _, c := range all {
		if !slices.ContainsFunc(f.theirs, func(own ledger.Change) bool { return own.Path == c.Path }) {
			back := ledger.Change{Path: c.Path}
			if e, ok := from.Lookup(c.Path); ok {
				back.After = &e
			}
			later = append(later, back)
		}
	}
	if f.holds, err = worktree.With(to, f.theirs, now); err != nil {
		return err
	}
	if len(later) > 0 {
		if f.holds, err = worktree.With(f.holds, later, from); err != nil {
			return err
		}
	}
	return d.foundAt(ctx, s, f, now)
}

// foundAt records what somebody else did where a step worked. What they did
// elsewhere is looked for before the next step.
func (d *Deliveries) foundAt(ctx context.Context, s *history.Step, f finding, now *ledger.Tree) (err error) {
	if f.adopt, err = worktree.With(f.before, f.theirs, now); err != nil {
		return err
	}
	return d.found(ctx, s, f)
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

// made are the steps whose work is delivered, in the order of execution: one,
// or those of a group that were joined; none if no step of this run made it.
func (d *Deliveries) made() []*history.Step {
	run := d.Rec.Run
	var last *history.Step
	for _, s := range run.Concluded() {
		if s.Completed != nil && s.Carried == nil {
			last = s
		}
	}
	switch {
	case last == nil, last.Carried != nil:
		return nil
	case last.Last().InLane() == history.LaneJoined && len(run.JoinedWith(last)) > 0:
		return append(run.JoinedWith(last), last) // it was joined last
	case last.Completed.Snapshot.Tree == run.Tree.Tree:
		return []*history.Step{last}
	}
	return nil
}

// without is a tree of the run without the work of a completed step, on which no
// other one was built.
func (d *Deliveries) without(ctx context.Context, s *history.Step, tree *ledger.Tree) (*ledger.Tree, error) {
	before, after, err := d.trees(ctx, s.Checkpoint.Checkpoint, s.Completed.Snapshot)
	if err != nil || after.Digest() == tree.Digest() {
		return before, err
	}
	changes, undone, holds := ledger.Diff(after, before), map[string]bool{}, map[string]bool{}
	for _, c := range changes {
		undone[c.Path] = c.After == nil
	}
	for e := range tree.All() {
		if !undone[e.Path] {
			for folder := path.Dir(e.Path); folder != "."; folder = path.Dir(folder) {
				holds[folder] = true
			}
		}
	}
	changes = slices.DeleteFunc(changes, func(c ledger.Change) bool {
		return c.After == nil && holds[c.Path] // others work in the folder
	})
	return worktree.With(tree, changes, before)
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

// A finding is what somebody else did.
type finding struct {
	holds  *ledger.Tree // what the workspace holds, as far as it was looked at
	theirs []ledger.Change
	// before is what the run accepted without the work of the step that it met;
	// nil where it met none.
	before *ledger.Tree
	adopt  *ledger.Tree // what the run goes on from if theirs is kept; nil: holds
}

// found records what somebody else did.
func (d *Deliveries) found(ctx context.Context, s *history.Step, of finding) (err error) {
	f := &history.Foreign{Changes: bound.First(worktree.Described(of.theirs), bound.Lines)}
	keep := func(tree *ledger.Tree, base record.Snapshot) (snap record.Snapshot) {
		if err == nil {
			snap, err = d.Rec.Store.Snapshot(ctx, d.Work.Root, tree, base)
		}
		return snap
	}
	f.Tree = keep(of.holds, d.Rec.Run.Tree)
	if f.Adopt = f.Tree; of.adopt != nil {
		f.Adopt = keep(of.adopt, f.Tree)
	}
	if of.before != nil {
		f.Met = true
		if of.before.Digest() != s.Checkpoint.Checkpoint.Tree {
			f.Without = keep(of.before, d.Rec.Run.Tree)
		}
	}
	if err != nil {
		return fmt.Errorf("exec: what others did in the workspace cannot be kept: %w", err)
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
	return d.found(ctx, d.near(s), finding{holds: now, theirs: ledger.Diff(held, now)})
}

// AsLeft reports whether the workspace is what the run left there.
func (d *Deliveries) AsLeft(ctx context.Context) (bool, error) {
	now, err := d.scan(ctx)
	return err == nil && now.Digest() == d.Rec.Run.Placed.Tree, err
}

// holdsSame reports whether a tree holds an entry, or nothing, at a path.
func holdsSame(tree *ledger.Tree, path string, e *ledger.Entry) bool {
	has, ok := tree.Lookup(path)
	return ok == (e != nil) && (!ok || has.Same(*e))
}
