package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/planlock/planlock/checkpoint/internal/restore"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// Export writes a tree to dir, which must be empty or not exist (fs.ErrExist);
// the folder that holds it must exist. With paths it writes what the tree has
// there, and below, at the same paths; one that the tree does not have is
// fs.ErrNotExist. Nothing is written if a path or a content (ErrNotFound) is
// missing, and nothing is ever written over. What was written before an error
// stays. What Restore says of owners, attributes, special files and syncing
// holds here too.
func (s *Store) Export(ctx context.Context, dir string, tree *ledger.Tree, paths ...string) error {
	want, err := selected(tree, paths)
	if err == nil {
		err = s.export(ctx, dir, want)
	}
	if err != nil {
		return fmt.Errorf("checkpoint: export to %q: %w", dir, err)
	}
	return nil
}

// export writes a tree to a folder that is empty, or that it makes. Where
// nothing was written, a folder that it made is removed again.
func (s *Store) export(ctx context.Context, dir string, want *ledger.Tree) error {
	root := disk.From(ctx).Anywhere()
	list, err := root.ReadDir(dir)
	made := errors.Is(err, fs.ErrNotExist)
	switch {
	case made:
		err = root.Mkdir(dir, 0o777)
	case len(list) > 0:
		err = fmt.Errorf("it holds %q, and nothing is written over: name a folder that is empty or does not exist: %w",
			list[0].Name(), fs.ErrExist)
	}
	if err != nil {
		return err
	}
	if err = restore.New(ctx, contents{s}, dir, want); err != nil && made {
		_ = root.Remove(dir) // if nothing was written
	}
	return err
}

// selected is the part of a tree that lies at paths; all of it if there are
// none.
func selected(tree *ledger.Tree, paths []string) (*ledger.Tree, error) {
	if len(paths) == 0 {
		return tree, nil
	}
	chosen, above := map[string]bool{}, map[string]bool{}
	var errs []error
	for _, given := range paths {
		p := path.Clean(filepath.ToSlash(given))
		if _, ok := tree.Lookup(p); !ok && p != "." {
			errs = append(errs, fmt.Errorf("the tree has no %q: %w", given, fs.ErrNotExist))
		}
		chosen[p] = true
		for p != "." && p != "/" {
			p = path.Dir(p)
			above[p] = true
		}
	}
	var entries []ledger.Entry
	for e := range tree.All() {
		if chosen["."] || above[e.Path] || within(e.Path, chosen) {
			entries = append(entries, e)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return ledger.NewTree(entries)
}

// within reports whether a path, or a folder above it, was chosen.
func within(p string, chosen map[string]bool) bool {
	for i := range p {
		if p[i] == '/' && chosen[p[:i]] {
			return true
		}
	}
	return chosen[p]
}
