package delivery

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// A spot is where a change is to be delivered, and what it is exchanged with.
type spot struct {
	change *ledger.Change
	dir    *disk.Root // of the path
	name   string     // in it
	slots  *disk.Root // the folder of the slot: what is staged, and then what came out
	slot   string     // in it
	beside bool       // the slot lies beside the path, for that lies on another file system
	bear   *Bearing   // what is put there is to bear; nil: nothing is said
}

// maxSwaps is after how many exchanges a path is left to who changes it all the
// time.
const maxSwaps = 100

// An outcome is what became of a change.
type outcome struct {
	conflict bool
	found    *ledger.Entry // of a conflict
	out      *ledger.Entry // what lies in the slot, if that was looked at
	touched  bool          // names in the folder may have changed
	beside   bool          // it lies on another file system
	in       fs.FileInfo   // the folder, if names in it may have changed
}

// delivered is the outcome of a change after which out lies in the slot.
func delivered(out *ledger.Entry) outcome { return outcome{out: out, touched: true} }

func conflict(found *ledger.Entry) outcome { return outcome{conflict: true, found: found} }

// mine is what lies in the slot of a change when it is staged: a folder is one
// that its owner may write in.
func mine(c *ledger.Change) *ledger.Entry {
	e := *c.After
	if e.Kind == ledger.Dir {
		e.Mode |= 0o700
	}
	return &e
}

// exchange puts what is staged in place of what was before, or of nothing, or
// takes that out, and looks at what came out.
func (r *reader) exchange(s spot) (outcome, error) {
	c := s.change
	if err := wear(s); err != nil {
		return outcome{}, err
	}
	switch {
	case c.After == nil:
		return r.takeOut(s)
	case c.Before == nil:
		return r.putNew(s)
	}
	err := disk.Swap(s.dir, s.name, s.slots, s.slot)
	if errors.Is(err, fs.ErrNotExist) {
		return conflict(nil), nil
	}
	if err != nil {
		return outcome{}, err
	}
	out, err := r.lookWhole(s.slots, s.slot, c.Path)
	switch {
	case err != nil:
		return outcome{touched: true}, err
	case same(out, c.Before), same(out, mine(c)), same(out, c.After):
		return delivered(out), nil
	}
	return r.giveBack(s, out, mine(c))
}

// giveBack puts back what came out: held, for which last was put at the path.
// It is done when what comes out is what was put there last, so that nobody
// came between: what stands there then is what somebody else put there last.
func (r *reader) giveBack(s spot, held, last *ledger.Entry) (outcome, error) {
	for range maxSwaps {
		err := disk.Swap(s.dir, s.name, s.slots, s.slot)
		if errors.Is(err, fs.ErrNotExist) { // somebody removed it since: what came out stays in the trash
			return outcome{conflict: true, out: held, touched: true}, nil
		}
		if err != nil {
			return outcome{touched: true}, err
		}
		out, err := r.lookWhole(s.slots, s.slot, s.change.Path)
		if err != nil {
			return outcome{touched: true}, err
		}
		if same(out, last) {
			return outcome{conflict: true, found: held, out: out, touched: true}, nil
		}
		held, last = out, held
	}
	return outcome{conflict: true, found: last, out: held, touched: true}, nil
}

// putNew puts what is staged where nothing is.
func (r *reader) putNew(s spot) (outcome, error) {
	err := disk.MoveNew(s.slots, s.slot, s.dir, s.name)
	switch {
	case err == nil:
		return delivered(nil), nil
	case !errors.Is(err, fs.ErrExist):
		return outcome{}, err
	}
	there, err := r.look(s.dir, s.name, s.change.Path)
	if err != nil {
		return outcome{}, err
	}
	if same(there, s.change.After) {
		return outcome{}, nil
	}
	return conflict(there), nil
}

// takeOut takes what stands at the path out into the slot.
func (r *reader) takeOut(s spot) (outcome, error) {
	err := disk.MoveNew(s.dir, s.name, s.slots, s.slot)
	if errors.Is(err, fs.ErrNotExist) {
		return outcome{}, nil
	}
	if err != nil {
		return outcome{}, err
	}
	out, err := r.lookWhole(s.slots, s.slot, s.change.Path)
	if err != nil {
		return outcome{touched: true}, err
	}
	if same(out, s.change.Before) {
		return delivered(out), nil
	}
	return r.putBack(s, out)
}

// putBack puts what came out where it came from, unless something else is there
// by now.
func (r *reader) putBack(s spot, out *ledger.Entry) (outcome, error) {
	switch err := disk.MoveNew(s.slots, s.slot, s.dir, s.name); {
	case err == nil:
		return outcome{conflict: true, found: out, touched: true}, nil
	case !errors.Is(err, fs.ErrExist):
		return outcome{touched: true}, err
	}
	there, err := r.look(s.dir, s.name, s.change.Path)
	return outcome{conflict: true, found: there, out: out, touched: true}, err
}

// about is err with the path that it is about.
func about(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%q: %w", path, err)
}
