package deliveries

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/lane"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/ledger"
)

// Deliver brings into the workspace what the run accepted. What somebody else
// did at a path of it stays as it is, and the journal says so.
func (d *Deliveries) Deliver(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	run := d.Rec.Run
	if _, ok := run.Undelivered(); !ok {
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
	if to, err = d.leaveOut(ctx, from, to); err != nil {
		return err
	}
	at, _ := run.Undelivered()
	conflicts, err := d.carry(ctx, fmt.Sprintf("%s-%d", run.Started.Run, at), from, to)
	if err != nil {
		return err
	}
	if len(conflicts) > 0 {
		return d.met(ctx, from, to)
	}
	return d.delivered(ctx)
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
		if have, held := now.Digest(), run.Placed.Tree; have != held {
			return []string{fmt.Sprintf("the workspace changed while the run worked in its clone (%s now, %s before): it was left alone, the clone is kept", have.Short(), held.Short())}, nil
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
	placed, to, err := d.trees(ctx, f.Tree, run.Tree)
	if err != nil {
		return err
	}
	found, all := finding{holds: now, before: to}, ledger.Diff(to, now)
	if f.Met {
		if found.before, err = d.without(ctx, s, to); err != nil {
			return err
		}
		ours := ledger.Diff(found.before, to)
		since := meeting(ours, ledger.Diff(placed, now))
		if len(since) == 0 {
			return nil
		}
		if found.holds, err = worktree.With(placed, since, now); err != nil {
			return err
		}
		all = meeting(ours, all)
	}
	found.theirs = slices.DeleteFunc(slices.Clone(all), func(c ledger.Change) bool {
		ours := holdsSame(placed, c.Path, c.Before)              // it was delivered, and is changed since
		return !ours && holdsSame(found.before, c.Path, c.After) // what the step found is back
	})
	if d.TakesBack() && !f.Met {
		if found, err = d.besides(ctx, now); err != nil {
			return err
		}
	}
	var facts []history.Located
	if q := lane.Pending(run); q != nil {
		facts = run.Step(q.Step).Where(q.Attempt).Locate(
			&history.Unanswered{Question: q.ID, Why: "what it is about is not there any more", Final: true})
	}
	if len(found.theirs) == 0 {
		holds, err := d.Rec.Store.Snapshot(ctx, d.Work.Root, found.holds, run.Tree)
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
	case len(found.theirs) == 0:
		return nil
	case !f.Met:
		return d.found(ctx, s, finding{holds: now, theirs: found.theirs, adopt: found.adopt})
	}
	return d.foundAt(ctx, s, found, now)
}

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
