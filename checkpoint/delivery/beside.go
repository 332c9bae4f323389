package delivery

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/planlock/planlock/internal/disk"
)

// replace exchanges what is staged with what is there.
func (c *courier) replace(ctx context.Context, i int, dir *disk.Root, name string) (outcome, error) {
	s := spot{change: &c.d.changes[i], dir: dir, name: name, slots: c.slots, slot: slotName(i)}
	if b, ok := c.d.bear[s.change.Path]; ok {
		s.bear = &b
	}
	o, err := c.exchangeOr(s)
	if !errors.Is(err, syscall.EXDEV) || o.touched { // what came out is put back by who settles this
		return o, err
	}
	if s, err = c.moveBeside(ctx, s, i); err != nil {
		return outcome{}, err
	}
	if o, err = c.exchangeOr(s); err == nil {
		err = c.clearBeside(s)
	}
	o.beside = true
	return o, err
}

// exchangeOr exchanges, or does without where the file system cannot exchange.
func (c *courier) exchangeOr(s spot) (outcome, error) {
	o, err := c.exchange(s)
	if errors.Is(err, errors.ErrUnsupported) {
		return c.without(s)
	}
	return o, err
}

// moveBeside makes a slot beside the path, which lies on another file system
// than the stage, out of what is staged.
func (c *courier) moveBeside(ctx context.Context, s spot, i int) (spot, error) {
	if err := c.noteBeside(); err != nil {
		return s, err
	}
	staged, from, at := s.slots, s.slot, besideName(c.d.name, i)
	s.beside, s.slots, s.slot = true, s.dir, at
	if s.change.After == nil {
		return s, nil
	}
	part := at + partEnd
	if err := removeAny(s.dir, part); err != nil {
		return s, err
	}
	m := &maker{open: copyFrom(staged, from), sync: true}
	if err := m.make(ctx, s.dir, part, *s.change.After); err != nil {
		return s, errors.Join(err, removeAny(s.dir, part))
	}
	if err := s.dir.SyncFolder("."); err != nil {
		return s, errors.Join(err, removeAny(s.dir, part))
	}
	return s, errors.Join(s.dir.Rename(part, at), s.dir.SyncFolder("."))
}

// clearBeside removes what came out beside a path, if it is as it should be;
// else that is kept under another name.
func (c *courier) clearBeside(s spot) error {
	there, err := c.lookWhole(s.slots, s.slot, s.change.Path)
	switch {
	case err != nil:
		return err
	case there == nil:
		return nil
	case same(there, s.change.Before), same(there, s.change.After),
		s.change.After != nil && same(there, mine(s.change)):
		return removeAny(s.slots, s.slot)
	}
	for n := 1; ; n++ {
		kept := fmt.Sprintf("%s~%d", s.slot, n)
		if _, err := s.slots.Lstat(kept); err == nil {
			continue
		}
		c.noteLeft(recorded{kept, *expected(s.change, nil), true})
		return s.slots.Rename(s.slot, kept)
	}
}
