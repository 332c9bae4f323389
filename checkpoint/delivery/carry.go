package delivery

import (
	"context"
	"errors"
	"io/fs"

	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// carry carries out the change i, but for the mode and time of folders.
func (c *courier) carry(ctx context.Context, i int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	change := &c.d.changes[i]
	err := c.try(change.Path, func(dir *disk.Root, name string) (err error) {
		c.outcomes[i], err = c.change(ctx, i, dir, name)
		if err == nil && c.outcomes[i].touched {
			c.outcomes[i].in, err = c.identity(dir)
		}
		return err
	})
	var way *wayError
	if errors.As(err, &way) {
		if c.outcomes[i] = conflict(way.found); atEase(c.d.changes, change, way.found, false) {
			c.outcomes[i] = outcome{}
		}
		return nil
	}
	return about(change.Path, err)
}

// change carries out the change i at name in dir.
func (c *courier) change(ctx context.Context, i int, dir *disk.Root, name string) (outcome, error) {
	change := &c.d.changes[i]
	seen, err := glance(dir, name, change.Path)
	if err != nil {
		return outcome{}, err
	}
	switch {
	case seen == nil && change.After == nil:
		return outcome{touched: c.d.again}, nil
	case seen == nil && change.Before != nil:
		return conflict(nil), nil
	case seen != nil:
		other, err := c.misspelled(dir, name, change.Path)
		if err != nil || other != nil {
			return conflict(other), err
		}
	}
	wasDir := change.Before != nil && change.Before.Kind == ledger.Dir
	if wasDir && change.After == nil {
		return c.removeFolder(dir, name, change, seen)
	}
	if seen != nil && (c.d.again || wasDir || !mayBe(seen, change.Before)) {
		there, err := c.lookWhole(dir, name, change.Path)
		switch {
		case err != nil:
			return outcome{}, err
		case c.arrived(there, change):
			return outcome{touched: c.d.again}, nil
		case !same(there, c.asBefore(change)):
			return conflict(there), nil
		}
	}
	if change.After != nil && change.After.Kind == ledger.Dir || wasDir {
		c.forget(change.Path)
	}
	return c.replace(ctx, i, dir, name)
}

// arrived reports whether what stands at a path is what a change puts there.
func (c *courier) arrived(there *ledger.Entry, change *ledger.Change) bool {
	if there == nil || change.After == nil {
		return there == nil && change.After == nil
	}
	if there.Kind != ledger.Dir {
		return same(there, change.After)
	}
	e := *there
	e.Size = 0 // what is in it does not count
	return same(&e, change.After) || c.d.again && same(&e, mine(change))
}

// removeFolder removes a folder that holds nothing any more.
func (c *courier) removeFolder(dir *disk.Root, name string, change *ledger.Change, seen *ledger.Entry) (outcome,
	error) {
	if !same(seen, c.asBefore(change)) {
		there, err := c.look(dir, name, change.Path)
		return conflict(there), err
	}
	c.forget(change.Path)
	err := disk.RemoveFolder(dir, name)
	switch {
	case err == nil:
		return outcome{touched: true}, nil
	case errors.Is(err, fs.ErrNotExist):
		return outcome{}, nil
	case !errors.Is(err, fs.ErrExist) && !unreachable(err): // it holds something, or is no folder by now
		return outcome{}, err
	}
	there, err := c.look(dir, name, change.Path)
	if err != nil || there == nil || there.Kind != ledger.Dir {
		return conflict(there), err
	}
	in, err := c.first(change.Path)
	if in == nil {
		in = there
	}
	return conflict(in), err
}
