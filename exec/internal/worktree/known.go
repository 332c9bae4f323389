package worktree

import (
	"context"
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
func (w *Worktree) Disturb() { w.holds, w.quiet = nil, false }

// look is what the folder holds, scanned where that is not known.
func (w *Worktree) look(ctx context.Context, scanner *scan.Scanner, prior *ledger.Tree) (*ledger.Tree, error) {
	if w.holds != nil {
		return w.holds, nil
	}
	return w.seen(scanner.Scan(ctx, w.Dir, prior))
}

// seen is a tree that Dir was just found to hold. Where commands write in
// layers, whoever writes there otherwise says so.
func (w *Worktree) seen(tree *ledger.Tree, err error) (*ledger.Tree, error) {
	if err == nil && w.Layers != nil && len(tree.Unread()) == 0 {
		w.holds = tree
	}
	return tree, err
}

// lookAgain is what the folder holds after it held have, and this controller
// wrote at paths of it.
func (w *Worktree) lookAgain(ctx context.Context, have *ledger.Tree, paths []string) (*ledger.Tree, error) {
	if w.holds == nil {
		return w.seen(w.Scanner.Scan(ctx, w.Dir, have))
	}
	w.holds = nil // until that is known
	return w.seen(w.Scanner.ScanWritten(ctx, w.Dir, have, paths))
}

// Look is what the folder holds after an attempt that began with the tree
// before, in which what was done in a layer is merged: nil if the attempt
// worked in the folder itself. The layer is dropped.
func (w *Worktree) Look(ctx context.Context, in *layer.Layer, before *ledger.Tree) (*ledger.Tree, error) {
	if in == nil {
		return w.look(ctx, &w.Scanner, before)
	}
	changes, err := in.Changes(ctx, before)
	if err != nil {
		w.drop(in)
		return nil, err
	}
	return w.merge(ctx, in, changes, before)
}

// outside reports whether a change is of what is in no tree with its content.
func (w *Worktree) outside(c ledger.Change) bool {
	level := w.Scanner.Scope.Level(c.Path)
	return level == ledger.Ignored || level == ledger.Stamps
}

// drop drops a layer of which nothing more is wanted.
func (w *Worktree) drop(in *layer.Layer) {
	if err := in.Drop(); err != nil {
		w.Rec.Log.Warn("a layer is left", "err", err)
	}
}

// merge does in the folder, which holds the tree before, what was done in a
// layer, and returns what it holds then. The layer is dropped.
func (w *Worktree) merge(ctx context.Context, in *layer.Layer, changes []ledger.Change, before *ledger.Tree) (
	*ledger.Tree, error) {
	defer w.drop(in)
	known := w.holds
	w.holds = nil // until all is merged
	if err := in.Merge(changes); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(changes, w.outside) {
		w.quiet = false
	}
	w.holds = known
	return w.lookAgain(ctx, before, paths(changes))
}
