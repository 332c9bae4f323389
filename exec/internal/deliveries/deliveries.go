package deliveries

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/planlock/planlock/checkpoint/delivery"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/lane"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/ledger"
)

// Deliveries are those of one run.
type Deliveries struct {
	*session.Session
	// Place is the workspace, held open since the controller took hold of it.
	Place *delivery.Place

	seen *ledger.Tree // what the workspace held when somebody looked; nil: nobody did
}

// Deliver brings into the workspace what the run accepted. What somebody else
// did at a path of it stays as it is, and the journal says so.
func (d *Deliveries) Deliver(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	run := d.Rec.Run
	at, ok := run.Undelivered()
	if !ok {
		return errors.New("exec: nothing is to be delivered")
	}
	if err := d.Rec.Await(ctx); err != nil {
		return err // what is not durable was not accepted
	}
	from, to, err := d.trees(ctx, run.Placed, run.Tree)
	if err != nil {
		return err
	}
	if err := d.Aside(ctx); err != nil {
		return err
	}
	conflicts, err := d.carry(ctx, fmt.Sprintf("%s-%d", run.Started.Run, at), from, to)
	if err != nil {
		return err
	}
	if len(conflicts) > 0 {
		return d.met(ctx, from, to)
	}
	return d.delivered(ctx)
}

// delivered says that the workspace holds what the run accepted. That need not
// outlive a power cut: a delivery that is repeated only looks whether it was
// carried out.
func (d *Deliveries) delivered(ctx context.Context) error {
	fact := history.Where{}.Locate(&history.Delivered{Tree: d.Rec.Run.Tree})
	if d.Observed || d.Rec.LogsRecords() {
		return d.Rec.RecordAll(ctx, fact...)
	}
	return d.Rec.Write(ctx, fact...)
}

// keepTrash is how long what came out of the workspace is kept: somebody may
// have it open, and go on writing.
const keepTrash = 24 * time.Hour

// LookAtTrash looks, when a run ends, at what deliveries took out of the
// workspace, and removes what is old. What somebody wrote to it since stays
// where it is, and is told, each time until somebody takes it away. What cannot
// be looked at is told too, and kept; the run ends all the same.
func (d *Deliveries) LookAtTrash(ctx context.Context) {
	if d.Place == nil || !d.Work.Layered() {
		return
	}
	found, err := d.Place.Empty(context.WithoutCancel(ctx), time.Now().Add(-keepTrash))
	for _, f := range found {
		d.Warn(f.String())
	}
	if err != nil {
		d.Warn(fmt.Sprintf("what was taken out of the workspace cannot be looked at again, and is kept: %v", err))
	}
}

// carry delivers the difference of two trees under a name that no other
// delivery of the workspace has.
func (d *Deliveries) carry(ctx context.Context, name string, from, to *ledger.Tree) ([]delivery.Conflict, error) {
	changes := deliverable(to, ledger.Diff(from, to))
	if len(changes) == 0 {
		return nil, nil
	}
	d.tellOfNames(changes)
	return d.finish(ctx, name, changes, d.bearings(changes))
}

// bearings are what steps declared of the files that changes put there.
func (d *Deliveries) bearings(changes []ledger.Change) map[string]delivery.Bearing {
	all := map[string]delivery.Bearing{}
	for _, s := range d.Rec.Run.Concluded() {
		last := s.Last()
		if s.Completed == nil || last == nil || last.Accounted == nil {
			continue
		}
		for _, b := range last.Accounted.Bears {
			for _, c := range changes {
				if c.Path == b.Path && c.After != nil && c.After.Digest == b.Digest {
					all[b.Path] = delivery.Bearing{Owner: b.Owner, Group: b.Group, Attributes: b.Attributes}
				}
			}
		}
	}
	return all
}

// finish delivers changes, of which some files bear something.
func (d *Deliveries) finish(ctx context.Context, name string, changes []ledger.Change,
	bear map[string]delivery.Bearing) ([]delivery.Conflict, error) {
	staged, err := d.Place.Stage(ctx, name, changes, d.Work.Content(d.Work.Dir))
	if err != nil {
		return nil, fmt.Errorf("exec: %w", err)
	}
	staged.Bear(bear)
	conflicts, err := staged.Finish(ctx)
	if err != nil {
		return nil, fmt.Errorf("exec: %w", err)
	}
	return conflicts, nil
}

// deliverable are the changes that can be brought into a workspace: not those
// of entries of which only the names are known, nor sockets and devices.
func deliverable(tree *ledger.Tree, all []ledger.Change) []ledger.Change {
	var list []ledger.Change
	for _, c := range all {
		special := c.After != nil && c.After.Kind == ledger.Special && c.After.Target != ledger.FIFO
		if !special && tree.Level(c.Path) != ledger.Stamps {
			list = append(list, c)
		}
	}
	return list
}

// trees are those of two snapshots.
func (d *Deliveries) trees(ctx context.Context, from, to record.Snapshot) (a, b *ledger.Tree, err error) {
	if a, err = d.tree(ctx, from); err == nil {
		b, err = d.tree(ctx, to)
	}
	return a, b, err
}

// tree is a tree of the run. Those that are in hand are not read again.
func (d *Deliveries) tree(ctx context.Context, of record.Snapshot) (*ledger.Tree, error) {
	for _, known := range []*ledger.Tree{d.Work.Tree, d.seen, d.Work.Base} {
		if known != nil && known.Digest() == of.Tree {
			return known, nil
		}
	}
	return d.Rec.Store.Tree(ctx, of)
}

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

// scan looks at the workspace.
func (d *Deliveries) scan(ctx context.Context) (*ledger.Tree, error) {
	if err := d.Place.Check(); err != nil {
		return nil, fmt.Errorf("exec: %w", err)
	}
	known := d.seen
	if known == nil {
		known = d.Work.Stamps().ReviveBase(ctx)
	}
	if known == nil {
		known = d.Work.Base
	}
	now, err := d.Work.Scanner.Scan(ctx, d.Work.Root, known)
	if err == nil {
		d.seen = now
	}
	return now, err
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

// Again looks once more at foreign changes of which nobody said what becomes of
// them, when the run is taken up: whoever made them may have taken them back.
func (d *Deliveries) Again(ctx context.Context) error {
	run := d.Rec.Run
	f, s := run.Foreign, run.ForeignStep
	if f == nil {
		return nil
	}
	now, err := d.scan(ctx)
	if err != nil || now.Digest() == f.Tree.Tree {
		return err
	}
	to, err := d.tree(ctx, run.Tree)
	if err != nil {
		return err
	}
	before, holds, all := to, now, ledger.Diff(to, now)
	if f.Met {
		if before, err = d.tree(ctx, s.Checkpoint.Checkpoint); err != nil {
			return err
		}
		all = meeting(ledger.Diff(before, to), all)
		if holds, err = worktree.With(to, all, now); err != nil || holds.Digest() == f.Tree.Tree {
			return err
		}
	}
	placed, err := d.tree(ctx, f.Tree)
	if err != nil {
		return err
	}
	theirs := slices.DeleteFunc(slices.Clone(all), func(c ledger.Change) bool {
		ours := holdsSame(placed, c.Path, c.Before)        // it was delivered, and is changed since
		return !ours && holdsSame(before, c.Path, c.After) // what the step found is back
	})
	var facts []history.Located
	if q := lane.Pending(run); q != nil {
		facts = run.Step(q.Step).Where(q.Attempt).Locate(
			&history.Unanswered{Question: q.ID, Why: "what it is about is not there any more", Final: true})
	}
	if len(theirs) == 0 {
		holds, err := d.Rec.Store.Snapshot(ctx, d.Work.Root, holds, run.Tree)
		if err != nil {
			return err
		}
		facts = append(facts, s.Where(0).Locate(&history.Settled{Tree: run.Tree})...)
		facts = append(facts, history.Where{}.Locate(&history.Delivered{Tree: holds})...)
	}
	if len(facts) > 0 {
		if err := d.Rec.RecordAll(ctx, facts...); err != nil {
			return err
		}
	}
	switch {
	case len(theirs) == 0:
		return nil
	case !f.Met:
		return d.found(ctx, s, now, now, theirs, false)
	}
	return d.foundAt(ctx, s, before, to, now, all, theirs)
}

// holdsSame reports whether a tree holds an entry, or nothing, at a path.
func holdsSame(tree *ledger.Tree, path string, e *ledger.Entry) bool {
	has, ok := tree.Lookup(path)
	return ok == (e != nil) && (!ok || has.Same(*e))
}

// DeliverAll brings what an isolated run made into the workspace, if that is
// still what the run began with; else it says why not. What somebody did in the
// moment of the delivery is a question, as ever.
func (d *Deliveries) DeliverAll(ctx context.Context) (why []string, err error) {
	run := d.Rec.Run
	if !run.Delivering() {
		now, err := d.scan(ctx)
		if err != nil {
			return nil, err
		}
		if have, base := now.Digest(), run.Started.Base.Tree; have != base {
			return []string{fmt.Sprintf("the workspace changed while the run worked in its clone (%s now, %s before): it was left alone, the clone is kept", have.Short(), base.Short())}, nil
		}
		if err := d.Rec.Record(ctx, history.Where{}, &history.DeliveryBegun{Tree: run.Tree.Tree}); err != nil {
			return nil, err
		}
	}
	if _, ok := run.Undelivered(); ok {
		return nil, d.Deliver(ctx)
	}
	if run.Delivered != nil {
		return nil, nil
	}
	if err := d.Aside(ctx); err != nil {
		return nil, err
	}
	return nil, d.Rec.Record(ctx, history.Where{}, &history.Delivered{Tree: run.Tree})
}
