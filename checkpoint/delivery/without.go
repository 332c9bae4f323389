package delivery

import (
	"errors"
	"io/fs"
	"os"

	"github.com/planlock/planlock/checkpoint/internal/walk"
	"github.com/planlock/planlock/ledger"
)

// without is exchange where the file system cannot exchange, or cannot rename
// without replacing: it looks, and renames then. See doc.go for what that loses.
func (c *courier) without(s spot) (outcome, error) {
	path, slot := s.change.Path, own+"/"+stageName+"/"+c.d.name+"/"+s.slot
	if s.beside {
		folder, _ := cutPath(path)
		slot = join(folder, s.slot)
	}
	switch {
	case s.change.After == nil:
		return c.takeWithout(s, path, slot)
	case s.change.Before == nil:
		return c.putWithout(s, path, slot)
	}
	there, err := c.lookWhole(s.dir, s.name, path)
	switch {
	case err != nil:
		return outcome{}, err
	case same(there, s.change.After):
		return outcome{}, nil
	case !same(there, c.asBefore(s.change)):
		return conflict(there), nil
	}
	return c.replaceWithout(s, path, slot, there)
}

func join(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

// replaceWithout renames what is staged over what is there, which was just
// looked at. The old file gets a second name in the trash first, if it can have
// one, so that what is written to it is not lost.
func (c *courier) replaceWithout(s spot, path, slot string, there *ledger.Entry) (outcome, error) {
	root, old := c.d.place.root, slot+oldEnd
	if err := removeAny(s.slots, s.slot+oldEnd); err != nil {
		return outcome{}, err
	}
	var err error
	if folder := s.change.After.Kind == ledger.Dir; folder || there.Kind == ledger.Dir {
		err = root.Rename(path, old) // neither can be renamed over the other
	} else if err = root.Link(path, old); err == nil {
		err = c.unchanged(s, there)
	} else if !cannotLink(err) {
		return outcome{}, err
	}
	switch {
	case errors.Is(err, walk.ErrSwapped), errors.Is(err, fs.ErrNotExist):
		now, lerr := c.look(s.dir, s.name, path)
		return conflict(now), errors.Join(lerr, removeAny(s.slots, s.slot+oldEnd))
	case err != nil && !cannotLink(err):
		return outcome{}, err
	}
	if err := root.Rename(slot, path); err != nil {
		return outcome{touched: true}, err
	}
	err = root.Rename(old, slot)
	if errors.Is(err, fs.ErrNotExist) { // it could have no second name
		return delivered(nil), nil
	}
	return delivered(there), err
}

// cannotLink reports whether err says that files cannot have two names here.
func cannotLink(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission)
}

// unchanged reports walk.ErrSwapped unless what stands at the path is what got
// a second name. Where the file system says that they are two files, as some
// network file systems do of all names, what stands there is read once more.
func (c *courier) unchanged(s spot, there *ledger.Entry) error {
	a, err := s.dir.Lstat(s.name)
	if err != nil {
		return err
	}
	b, err := s.slots.Lstat(s.slot + oldEnd)
	if err != nil {
		return err
	}
	if os.SameFile(a, b) && mayBe(entryOf(a, there.Path), there) {
		return nil
	}
	now, err := c.lookWhole(s.dir, s.name, there.Path)
	if err == nil && !same(now, there) {
		err = walk.ErrSwapped
	}
	return err
}

// putWithout puts what is staged where nothing is: by a second name, which
// replaces nothing, or by a rename after a look.
func (c *courier) putWithout(s spot, path, slot string) (outcome, error) {
	root := c.d.place.root
	err := errors.ErrUnsupported
	if s.change.After.Kind != ledger.Dir {
		if err = root.Link(slot, path); err == nil {
			return delivered(nil), s.slots.Remove(s.slot)
		}
	}
	if cannotLink(err) {
		if _, err = s.dir.Lstat(s.name); errors.Is(err, fs.ErrNotExist) {
			return delivered(nil), root.Rename(slot, path)
		} else if err == nil {
			err = fs.ErrExist
		}
	}
	if !errors.Is(err, fs.ErrExist) {
		return outcome{}, err
	}
	there, err := c.look(s.dir, s.name, path)
	if err == nil && same(there, s.change.After) {
		return outcome{}, nil
	}
	return conflict(there), err
}

// takeWithout takes what stands at the path out, and puts it back if it is
// foreign.
func (c *courier) takeWithout(s spot, path, slot string) (outcome, error) {
	root := c.d.place.root
	if err := root.Rename(path, slot); errors.Is(err, fs.ErrNotExist) {
		return outcome{}, nil
	} else if err != nil {
		return outcome{}, err
	}
	out, err := c.lookWhole(s.slots, s.slot, path)
	if err != nil || same(out, s.change.Before) {
		return delivered(out), err
	}
	back := s
	back.change = &ledger.Change{Path: path, After: out}
	o, err := c.putWithout(back, path, slot)
	if err == nil && !o.conflict {
		return outcome{conflict: true, found: out, touched: true}, nil
	}
	o.touched = true
	return o, err
}
