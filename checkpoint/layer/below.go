package layer

import (
	"path"
	"slices"

	"github.com/planlock/planlock/ledger"
)

// below is what lies below a layer, by paths.
type below interface {
	// look is the entry at a path; nil if there is none.
	look(path string) (*ledger.Entry, error)
	// names are those of the entries of a folder, sorted; none of what is no
	// folder.
	names(path string) ([]string, error)
}

// based is what lies below by the tree that the work began with, which is not
// read again; what that tree does not watch is read.
type based struct {
	tree *ledger.Tree
	disk below
}

func (b based) knows(path string) bool { return b.tree.Level(path) <= ledger.Tracked }

func (b based) look(path string) (*ledger.Entry, error) {
	if !b.knows(path) {
		return b.disk.look(path)
	}
	if e, ok := b.tree.Lookup(path); ok {
		return &e, nil
	}
	return nil, nil
}

func (b based) names(folder string) ([]string, error) {
	var names []string
	for e := range b.tree.In(folder) {
		if b.knows(e.Path) {
			names = append(names, path.Base(e.Path))
		}
	}
	there, err := b.disk.names(folder)
	for _, name := range there {
		if !b.knows(path.Join(folder, name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, err
}
