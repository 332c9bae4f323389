package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/planlock/planlock/checkpoint/internal/walk"
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
		r, err = (&settler{c}).settleSlots(ctx)
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

// A settler is a courier that brings what is left of an earlier try where it
// belongs.
type settler struct{ *courier }

// settleSlots looks at all slots, and returns what lies there.
func (c *settler) settleSlots(ctx context.Context) (record, error) {
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
func (c *settler) settleSlot(s spot) (*ledger.Entry, error) {
	change := s.change
	out, err := c.lookWhole(s.slots, s.slot, change.Path)
	if err == nil && out != nil && out.Size == filled && change.After != nil && change.After.Kind == ledger.Dir {
		if out, err = c.takeDown(s, out); err != nil {
			return out, err
		}
	}
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

// takeDown removes a folder that is staged, and holds what was delivered into
// it: a power cut may undo the one and not the other. With something else in it
// it stays, as out.
func (c *settler) takeDown(s spot, out *ledger.Entry) (*ledger.Entry, error) {
	dir, err := walk.StepInto(s.slots, s.slot)
	if err != nil {
		return out, err
	}
	ours, err := c.allOurs(dir, s.change.Path)
	_ = dir.Close() // some systems do not remove a folder that is open
	if err != nil || !ours {
		return out, err
	}
	return nil, removeAny(s.slots, s.slot)
}

// allOurs reports whether there is nothing in dir, which was at path, but what
// was delivered there, or put there to be delivered.
func (c *settler) allOurs(dir *disk.Root, path string) (bool, error) {
	list, err := dir.ReadDir(".")
	for _, e := range list {
		name := e.Name()
		change := find(c.d.changes, path+"/"+name)
		beside, part := strings.CutSuffix(name, partEnd)
		if i, ok := besideNumber(c.d.name, beside); ok && part {
			continue
		} else if ok && i < len(c.d.changes) {
			change = &c.d.changes[i]
		}
		if change == nil || change.After == nil {
			return false, err
		}
		there, err := c.look(dir, name, change.Path)
		if err != nil || !same(there, change.After) && !same(there, mine(change)) {
			return false, err
		}
		if there.Kind != ledger.Dir {
			continue
		}
		sub, err := walk.StepInto(dir, name)
		if err != nil {
			return false, err
		}
		ours, err := c.allOurs(sub, change.Path)
		if err = errors.Join(err, sub.Close()); err != nil || !ours {
			return false, err
		}
	}
	return err == nil, err
}

// settleBeside settles a slot beside its path, and removes it if nothing
// foreign is in it.
func (c *settler) settleBeside(i int) error {
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
