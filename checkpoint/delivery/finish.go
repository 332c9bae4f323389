package delivery

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/planlock/planlock/checkpoint/internal/walk"
	"github.com/planlock/planlock/ledger"
)

// Finish delivers what was staged, and returns the changes at whose paths it
// found something else than was there before. They are left as they are, all
// others are delivered, and what came out for them lies in the trash. It goes
// forward only: after an error, and after a crash, call Stage and Finish again.
//
// A delivery that was finished before is looked at only: what does not stand
// there any more is a conflict.
func (d *Delivery) Finish(ctx context.Context) ([]Conflict, error) {
	if err := d.place.Check(); err != nil {
		return nil, err
	}
	conflicts, err := d.finish(ctx)
	if err != nil {
		err = fmt.Errorf("delivery: deliver %q: %w", d.name, err)
	}
	return conflicts, err
}

// finish brings the staged changes to their places, once. A delivery that is
// over only looks what differs from it by now.
func (d *Delivery) finish(ctx context.Context) ([]Conflict, error) {
	switch {
	case d.begun && !d.over:
		return nil, errors.New("it was begun already: stage it again")
	case d.over:
		return d.place.differing(ctx, d.changes, false)
	}
	d.begun = true
	slots, err := walk.StepInto(d.place.stage, d.name)
	if err != nil {
		return nil, err
	}
	defer slots.Close() // what is in it is synced before
	f := &finish{d: d, slots: slots, outcomes: make([]outcome, len(d.changes))}
	if err = f.carryAll(ctx); err == nil {
		err = f.courier((*courier).finishFolders)
	}
	if err = errors.Join(err, f.courier((*courier).closeFolders)); err == nil {
		err = f.end()
	}
	if err == nil {
		d.over = true
		err = f.courier((*courier).findMoved)
	}
	return f.conflicts(), err
}

// conflicts are the changes that were not brought, because somebody else had
// been there, with what was found.
func (f *finish) conflicts() (list []Conflict) {
	for i, o := range f.outcomes {
		if o.conflict {
			list = append(list, Conflict{f.d.changes[i], o.found})
		}
	}
	return list
}

// carryAll removes from the innermost path out, so that folders are empty when
// their turn comes; makes folders from the outermost in; and then all else.
func (f *finish) carryAll(ctx context.Context) error {
	var first, folders, rest []int
	for i := range f.d.changes {
		switch c := &f.d.changes[i]; {
		case c.After == nil, c.Before != nil && c.Before.Kind == ledger.Dir && c.After.Kind != ledger.Dir:
			first = append(first, i)
		case !staged(c): // a folder that stays one
		case c.After.Kind == ledger.Dir:
			folders = append(folders, i)
		default:
			rest = append(rest, i)
		}
	}
	slices.Reverse(first)
	err := f.courier(func(c *courier) error { return c.carryThese(ctx, append(first, folders...)) })
	if err != nil {
		return err
	}
	return inParts(f.d.place.root.Plain(), rest, func(part []int) error {
		return f.courier(func(c *courier) error { return c.carryThese(ctx, part) })
	})
}

// carryThese carries changes by their numbers, in that order, up to the first
// that fails.
func (c *courier) carryThese(ctx context.Context, changes []int) error {
	for _, i := range changes {
		if err := c.carry(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// findMoved finds out what was delivered into a folder that somebody moved
// away meanwhile: that is not what stands at the path.
func (c *courier) findMoved() error {
	folders := map[string]fs.FileInfo{} // as they are now; nil where there is none
	for i := range c.outcomes {
		o, change := &c.outcomes[i], &c.d.changes[i]
		if o.in == nil || o.conflict {
			continue
		}
		folder, _ := cutPath(change.Path)
		now, known := folders[folder]
		if !known {
			dir, _, err := c.at(join(folder, "."))
			var way *wayError
			if err == nil {
				now, err = c.identity(dir)
			}
			if err != nil && !errors.As(err, &way) {
				return about(folder, err)
			}
			folders[folder] = now
		}
		if now != nil && os.SameFile(o.in, now) {
			continue
		}
		var err error
		if o.found, o.conflict, err = c.differs(change, c.d.changes, false, nil); err != nil {
			return about(change.Path, err)
		}
	}
	return nil
}
