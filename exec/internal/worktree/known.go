package worktree

import (
	"context"
	"errors"
	"slices"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

// A scan of the whole folder finds out what it holds. It is spared as long as
// all that was written there went through this controller: what commands did in
// layers, and what was restored.

// Disturb notes that somebody may write in the folder in which the run works
// otherwise than by a layer: from now on it is scanned, until that was done.
func (w *Worktree) Disturb() {
	w.folder().write()
	w.in.holds, w.aside.quiet = nil, false
}

// A folder is what the one holds in which a run works.
type folder struct {
	of    *Worktree
	holds *ledger.Tree // nil: somebody may have written there
	note  note         // of that, for the next controller
}

func (w *Worktree) folder() *folder {
	w.in.of = w
	return &w.in
}

// write says that somebody is going to write in the folder.
func (f *folder) write() {
	if f.of.Layered() {
		f.note.erase(f.of)
	}
}

// look is what the folder holds, scanned where that is not known.
func (f *folder) look(ctx context.Context, scanner *scan.Scanner, prior *ledger.Tree) (*ledger.Tree, error) {
	if f.holds != nil {
		return f.holds, nil
	}
	return f.seen(scanner.Scan(ctx, f.of.Dir, prior))
}

// seen is a tree that was just found there. Where commands write in layers,
// whoever writes there otherwise says so.
func (f *folder) seen(tree *ledger.Tree, err error) (*ledger.Tree, error) {
	if err == nil && f.of.Layers != nil && len(tree.Unread()) == 0 {
		f.holds = tree
		f.note.write(f.of, tree.Digest())
	}
	return tree, err
}

// again is what the folder holds after it held have, and this controller wrote at
// paths of it.
func (f *folder) again(ctx context.Context, have *ledger.Tree, paths []string) (*ledger.Tree, error) {
	if f.holds == nil {
		return f.seen(f.of.Scanner.Scan(ctx, f.of.Dir, have))
	}
	f.holds = nil // until that is known
	return f.seen(f.of.Scanner.ScanWritten(ctx, f.of.Dir, have, paths))
}

// Look is what the folder holds after an attempt that began with the tree before.
// What was done in the layer in is merged first, and the layer dropped; in is nil
// if the attempt worked in the folder itself.
func (w *Worktree) Look(ctx context.Context, in *layer.Layer, before *ledger.Tree) (*ledger.Tree, error) {
	if err := w.Moved(); err != nil {
		return nil, err
	}
	if in == nil {
		return w.folder().look(ctx, &w.Scanner, before)
	}
	changes, err := in.Changes(ctx, before)
	if err != nil {
		return nil, errors.Join(err, in.Drop())
	}
	return w.merge(ctx, in, changes, before)
}

// merge does in the folder, which holds the tree before, what was done in a
// layer, and returns what it holds then. The layer is dropped.
func (w *Worktree) merge(ctx context.Context, in *layer.Layer, changes []ledger.Change, before *ledger.Tree) (
	*ledger.Tree, error) {
	known := w.in.holds
	if w.in.holds = nil; len(changes) > 0 { // until all is merged
		w.folder().write()
	}
	if err := errors.Join(in.Merge(changes), in.Drop()); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(changes, func(c ledger.Change) bool { return outside(&w.Scanner.Scope, c.Path) }) {
		w.aside.quiet = false
	}
	w.in.holds = known
	return w.folder().again(ctx, before, paths(changes))
}
