package carry

import (
	"path"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
)

// Back is what takes back from a tree what a step made, where that is still so
// there, and the files where it is not. A folder in which something else lies
// stays.
func Back(tree *ledger.Tree, by *history.Accounted) (all []ledger.Change, changed []string) {
	if by == nil {
		return nil, nil
	}
	var back []ledger.Change
	gone := map[string]bool{}
	for _, c := range by.Changes {
		now, there := tree.Lookup(c.Path)
		if there != (c.After != nil) || there && !now.Same(*c.After) {
			if there || c.Before != nil {
				changed = append(changed, c.Path)
			}
			continue
		}
		back = append(back, ledger.Change{Path: c.Path, Op: reverse(c.Op), Before: c.After, After: c.Before})
		gone[c.Path] = c.Before == nil
	}
	keeps := map[string]bool{}
	for e := range tree.All() {
		if gone[e.Path] {
			continue
		}
		for dir := path.Dir(e.Path); dir != "." && !keeps[dir]; dir = path.Dir(dir) {
			keeps[dir] = true
		}
	}
	for _, c := range back {
		if c.After != nil || !keeps[c.Path] {
			all = append(all, c)
		}
	}
	return all, changed
}

func reverse(op ledger.Op) ledger.Op {
	switch op {
	case ledger.Created:
		return ledger.Deleted
	case ledger.Deleted:
		return ledger.Created
	}
	return op
}
