package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// settle brings a delivery that was begun, and not finished, to where each path
// is old, new or somebody else's, and puts the rest of it into the trash. What
// was found foreign and not put back yet, is put back now.
func (d *Delivery) settle(ctx context.Context, slots *disk.Root) error {
	defer slots.Close() // what is in it is synced before
	f := &finish{d: d, slots: slots, outcomes: make([]outcome, len(d.changes))}
	var r record
	err := f.courier(func(c *courier) error {
		if err := c.readOpened(); err != nil {
			return err
		}
		var err error
		r, err = c.settleSlots(ctx)
		return errors.Join(err, c.closeFolders())
	})
	if err != nil {
		return fmt.Errorf("what is left of an earlier try: %w", err)
	}
	if err := writeJSON(slots, recordName, r, true); err != nil {
		return err
	}
	if err := slots.SyncFolder("."); err != nil {
		return err
	}
	_ = slots.Close() // some systems do not rename a folder that is open
	return d.retireUnder()
}

// readOpened reads which folders were opened.
func (c *courier) readOpened() error {
	text, err := readFile(c.slots, openedName)
	if err != nil || text == nil {
		return err
	}
	return json.Unmarshal(text, &c.opened)
}

// settleSlots looks at all slots, and returns what lies there.
func (c *courier) settleSlots(ctx context.Context) (record, error) {
	r := record{Changes: c.d.sum, Slots: []recorded{}}
	list, err := c.slots.ReadDir(".")
	if err != nil {
		return r, err
	}
	there := map[string]bool{}
	for _, e := range list {
		there[e.Name()] = true
	}
	for i := range c.d.changes {
		if ctx.Err() != nil {
			return r, context.Cause(ctx)
		}
		change := &c.d.changes[i]
		if there[slotName(i)] {
			s := spot{change: change, slots: c.slots, slot: slotName(i)}
			out, err := c.settleSlot(s)
			if err != nil {
				return r, about(change.Path, err)
			}
			if e := expected(change, out); e != nil {
				r.Slots = append(r.Slots, recorded{Slot: s.slot, Entry: *e})
			}
		}
		if there[besideFile] {
			if err := c.settleBeside(i); err != nil {
				return r, about(change.Path, err)
			}
		}
	}
	r.Slots = append(r.Slots, c.left...)
	return r, nil
}

// settleSlot looks at what lies in a slot. If that is foreign, and stood at the
// path until the delivery took it out, it is put back. It returns what lies
// there then.
func (c *courier) settleSlot(s spot) (*ledger.Entry, error) {
	change := s.change
	out, err := c.lookWhole(s.slots, s.slot, change.Path)
	if err != nil || out == nil || change.Before == nil || same(out, change.Before) ||
		change.After != nil && (same(out, change.After) || same(out, mine(change))) {
		return out, err
	}
	err = c.try(change.Path, func(dir *disk.Root, name string) error {
		s.dir, s.name = dir, name
		if s.beside {
			s.slots = dir
		}
		there, err := c.lookWhole(dir, name, change.Path)
		if err != nil {
			return err
		}
		var o outcome
		switch {
		case change.After == nil && there == nil:
			o, err = c.putBack(s, out)
		case change.After != nil && (same(there, change.After) || same(there, mine(change))):
			o, err = c.giveBack(s, out, mine(change))
		default: // somebody else came since: what came out stays in the trash
			return nil
		}
		out = o.out
		return err
	})
	var way *wayError
	if errors.As(err, &way) {
		return out, nil
	}
	return out, err
}

// settleBeside settles a slot beside its path, and removes it if nothing
// foreign is in it.
func (c *courier) settleBeside(i int) error {
	change := &c.d.changes[i]
	err := c.try(change.Path, func(dir *disk.Root, name string) error {
		at := besideName(c.d.name, i)
		if err := removeAny(dir, at+partEnd); err != nil {
			return err
		}
		s := spot{change: change, dir: dir, name: name, slots: dir, slot: at, beside: true}
		if _, err := c.settleSlot(s); err != nil {
			return err
		}
		dir, _, err := c.at(change.Path)
		if err != nil {
			return err
		}
		s.slots = dir
		return errors.Join(c.clearBeside(s), dir.SyncFolder("."))
	})
	var way *wayError
	if errors.As(err, &way) {
		return nil
	}
	return err
}
