package deliveries

import (
	"context"
	"fmt"
	"time"

	"github.com/planlock/planlock/checkpoint/delivery"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/ledger"
)

// Deliveries are those of one run.
type Deliveries struct {
	*session.Session
	// Place is the workspace, held open since the controller took hold of it.
	Place *delivery.Place

	seen *ledger.Tree // what the workspace held when somebody looked; nil: nobody did
}

// keepTrash is how long what came out of the workspace is kept: somebody may
// have it open, and go on writing.
const keepTrash = 24 * time.Hour

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
	for _, s := range d.Rec.Run.Steps {
		account := s.Account()
		if s.Completed == nil || account == nil {
			continue
		}
		for _, b := range account.Bears {
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

// Holding is what the workspace holds now, and what it holds of the run.
func (d *Deliveries) Holding(ctx context.Context) (now, held *ledger.Tree, err error) {
	if !d.Work.Layered() {
		if now, err = d.Work.Scan(ctx); err == nil {
			held, err = d.Rec.Store.Tree(ctx, d.Rec.Run.Tree)
		}
		return now, held, err
	}
	if now, err = d.scan(ctx); err == nil {
		held, err = d.tree(ctx, d.Rec.Run.Placed)
	}
	return now, held, err
}
