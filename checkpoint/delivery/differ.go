package delivery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// Conflicts names the changes whose path holds neither what was there before
// nor what they put there: somebody else came. A folder that is to go, and
// holds what is not, is one too. It writes nothing.
func (p *Place) Conflicts(ctx context.Context, changes []ledger.Change) ([]Conflict, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	list, err := ordered(changes)
	if err != nil {
		return nil, err
	}
	found, err := p.differing(ctx, list, true)
	if err != nil {
		return nil, fmt.Errorf("delivery: look for conflicts: %w", err)
	}
	return found, nil
}

// differing are the changes whose path does not hold what they put there, nor,
// if that counts, what was there before.
func (p *Place) differing(ctx context.Context, changes []ledger.Change, before bool) ([]Conflict, error) {
	h, err := p.hand()
	if err != nil {
		return nil, err
	}
	defer h.close()
	stay := map[string]bool{} // paths that were to go, and hold something else
	var list []Conflict
	for i := len(changes) - 1; i >= 0; i-- { // what a folder holds before the folder
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		c := &changes[i]
		there, differs, err := h.differs(c, changes, before, stay)
		if err != nil {
			return nil, about(c.Path, err)
		}
		if differs {
			stay[c.Path] = true
			list = append(list, Conflict{*c, there})
		}
	}
	slices.Reverse(list)
	return list, nil
}

// differs is one look of differing.
func (h *hand) differs(c *ledger.Change, changes []ledger.Change, before bool, stay map[string]bool) (
	there *ledger.Entry, differs bool, err error) {
	there, err = h.there(c.Path)
	var way *wayError
	if errors.As(err, &way) {
		return way.found, !atEase(changes, c, way.found, before), nil
	}
	switch {
	case err != nil:
		return nil, false, err
	case same(there, c.After):
		return nil, false, nil
	case !before || !same(there, c.Before):
		return there, true, nil
	case there == nil || there.Kind != ledger.Dir || c.After != nil && c.After.Kind == ledger.Dir:
		return nil, false, nil
	}
	in, err := h.stays(c.Path, changes, stay)
	return in, in != nil, err
}

// find is the change of a path; nil if there is none.
func find(changes []ledger.Change, path string) *ledger.Change {
	i, ok := slices.BinarySearchFunc(changes, path, func(c ledger.Change, path string) int {
		return strings.Compare(c.Path, path)
	})
	if !ok {
		return nil
	}
	return &changes[i]
}

// atEase reports whether it is as it should be that the path of a change cannot
// be reached, for what is found is in the way: another change put that there,
// or, if what was before counts, is to put a folder there.
func atEase(changes []ledger.Change, c *ledger.Change, found *ledger.Entry, before bool) bool {
	if c.After == nil {
		if found == nil {
			return true
		}
		above := find(changes, found.Path)
		return above != nil && above.After != nil && same(found, above.After)
	}
	if !before || c.Before != nil {
		return false
	}
	for _, folder := range prefixes(c.Path) {
		above := find(changes, folder)
		if folder != c.Path && above != nil && above.After != nil && above.After.Kind == ledger.Dir {
			return found == nil && above.Before == nil ||
				found != nil && found.Path == folder && same(found, above.Before)
		}
	}
	return false
}

// there is what stands at path.
func (h *hand) there(path string) (*ledger.Entry, error) {
	dir, name, err := h.at(path)
	if err != nil {
		return nil, err
	}
	e, err := h.look(dir, name, path)
	if err != nil || e == nil {
		return nil, err
	}
	other, err := h.misspelled(dir, name, path)
	if err == nil && other != nil {
		err = &wayError{other}
	}
	return e, err
}

// stays is something in a folder that is to go, and does not go itself; nil if
// there is nothing like that.
func (h *hand) stays(folder string, changes []ledger.Change, stay map[string]bool) (*ledger.Entry, error) {
	dir, _, err := h.at(folder + "/.")
	if err != nil {
		return nil, err
	}
	list, err := dir.ReadDir(".")
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		path := folder + "/" + e.Name()
		if c := find(changes, path); c == nil || c.After != nil || stay[path] {
			return h.look(dir, e.Name(), path)
		}
	}
	return nil, nil
}

// first is the first thing that a folder holds; nil if that cannot be said.
func (h *hand) first(folder string) (*ledger.Entry, error) {
	dir, _, err := h.at(folder + "/.")
	if err != nil {
		return nil, nil
	}
	list, err := dir.ReadDir(".")
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return h.look(dir, list[0].Name(), folder+"/"+list[0].Name())
}
