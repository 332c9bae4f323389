package layer

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/planlock/planlock/ledger"
)

// below is the clone on which a layer lies: by the tree that it holds, and, where
// that does not watch it, as it is read.
type below struct {
	ctx     context.Context
	tree    *ledger.Tree // nil: all is read
	root    *os.Root
	folders map[string]bool // whether paths are folders, as far as that was looked at
}

func (b *below) knows(name string) bool { return b.tree != nil && b.tree.Level(name) <= ledger.Tracked }

// look is the entry at a path; nil if there is none.
func (b *below) look(name string) (*ledger.Entry, error) {
	if b.knows(name) {
		if e, ok := b.tree.Lookup(name); ok {
			return &e, nil
		}
		return nil, nil
	}
	if name != "." && !b.folder(path.Dir(name)) {
		return nil, nil
	}
	info, err := b.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return entryOf(b.ctx, b.root, name, name, info, nil)
}

// names are those of the entries of a folder, sorted; none of what is no folder.
func (b *below) names(folder string) ([]string, error) {
	var names []string
	if b.tree != nil {
		for e := range b.tree.In(folder) {
			if b.knows(e.Path) {
				names = append(names, path.Base(e.Path))
			}
		}
	}
	if !b.folder(folder) {
		return names, nil
	}
	list, err := fs.ReadDir(b.root.FS(), folder)
	for _, e := range list {
		if !b.knows(path.Join(folder, e.Name())) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, err
}

// folder reports whether a path is a folder, and all above it are.
func (b *below) folder(name string) bool {
	if name == "." {
		return true
	}
	is, known := b.folders[name]
	if !known {
		if b.folder(path.Dir(name)) {
			info, err := b.root.Lstat(name)
			is = err == nil && info.IsDir()
		}
		b.folders[name] = is
	}
	return is
}
