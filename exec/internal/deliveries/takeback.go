package deliveries

import (
	"context"
	"slices"

	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/ledger"
)

// TakesBack reports whether the run finishes another one, of which it is to take
// back what steps made that it carries out once more, and has not yet.
func (d *Deliveries) TakesBack() bool {
	run := d.Rec.Run
	from := run.Started.From
	return from != nil && len(from.Anew) > 0 && run.Behind() && run.Delivered == nil && len(run.Adopted) == 0 &&
		run.Tree == from.Left
}

// LookFirst finds out, before a run that finishes another one does anything,
// whether anybody else worked in the workspace: whoever is asked about that, and
// stops, or gives the run up, finds all as it was, and what they put there is
// there when evidence is looked for.
func (d *Deliveries) LookFirst(ctx context.Context) error {
	switch run := d.Rec.Run; {
	case run.Started.From == nil, run.Started.Isolated, run.Ended != nil, run.Foreign != nil:
		return nil
	case !run.Behind():
		return d.Look(ctx, nil)
	case !d.TakesBack():
		return nil
	}
	now, err := d.scan(ctx)
	if err != nil {
		return err
	}
	f, err := d.besides(ctx, now)
	if err != nil || len(f.theirs) == 0 {
		return err
	}
	return d.found(ctx, d.near(nil), f)
}

// besides is what somebody else did since the run that is finished left the
// workspace, and what of it holds once all is taken back.
func (d *Deliveries) besides(ctx context.Context, now *ledger.Tree) (f finding, err error) {
	held, to, err := d.trees(ctx, d.Rec.Run.Started.From.Placed, d.Rec.Run.Tree)
	if err != nil {
		return f, err
	}
	f.holds = now
	f.theirs = slices.DeleteFunc(ledger.Diff(held, now), func(c ledger.Change) bool {
		return holdsSame(to, c.Path, c.After) // it was taken back before that was cut off
	})
	f.adopt, err = worktree.With(to, f.theirs, now)
	return f, err
}
