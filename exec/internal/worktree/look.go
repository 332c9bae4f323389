package worktree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/ledger"
)

// Scan looks at the tree, knowing the one that we left.
func (w *Worktree) Scan(ctx context.Context) (*ledger.Tree, error) {
	return w.folder().look(ctx, &w.Scanner, w.Tree)
}

// Known is the tree that the folder holds, which is Tree from then on: scanned
// if nobody has looked since we left it.
func (w *Worktree) Known(ctx context.Context) (*ledger.Tree, error) {
	if w.Tree != nil && w.Rec.Seen.Holds(guard.Tree) {
		return w.Tree, nil
	}
	tree, err := w.Scan(ctx)
	if err != nil {
		return nil, err
	}
	w.Tree = tree
	if tree.Digest() == w.Rec.Run.Tree.Tree {
		w.Rec.Seen.Saw(guard.Tree)
	}
	return tree, nil
}

// External names the changes that no step made.
func (w *Worktree) External(ctx context.Context) ([]string, error) {
	if w.Rec.Seen.Holds(guard.Tree) && w.Tree != nil && w.Tree.Digest() == w.Rec.Run.Tree.Tree {
		return nil, nil
	}
	if w.Layered() {
		return nil, w.Regain(ctx)
	}
	now, err := w.Scan(ctx)
	if err != nil {
		return nil, err
	}
	if now.Digest() == w.Rec.Run.Tree.Tree {
		w.Tree = now
		w.Rec.Seen.Saw(guard.Tree)
		return nil, nil
	}
	left, err := w.Rec.Store.Tree(ctx, w.Rec.Run.Tree)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, change := range ledger.Diff(left, now) {
		lines = append(lines, fmt.Sprintf("external change: nobody in this run did  %s", change))
	}
	return bound.First(lines, 20), nil
}

// LookAtAll finds what somebody wrote while the last attempt was undone, as no
// other one follows that would be accounted for.
func (w *Worktree) LookAtAll(ctx context.Context) ([]string, error) {
	if !w.partly {
		return nil, nil
	}
	w.partly = false
	w.Rec.Seen.Forget(guard.Tree)
	return w.External(ctx)
}

// Described says each change in a line.
func Described(changes []ledger.Change) []string {
	lines := make([]string, 0, len(changes))
	for _, c := range changes {
		lines = append(lines, c.String())
	}
	return lines
}

// UntouchedBy makes sure that somebody who may only look changed nothing. What
// changed is named, and undone by the restore that is to be recorded.
func (w *Worktree) UntouchedBy(ctx context.Context, when string) (*history.RestoreBegun, []string, error) {
	w.Disturb()
	now, err := w.folder().look(context.WithoutCancel(ctx), &w.Scanner, w.Tree)
	if err != nil {
		return nil, nil, err
	}
	if now.Digest() == w.Rec.Run.Tree.Tree || w.Tree == nil {
		return nil, nil, nil
	}
	lines := append([]string{"the tree changed " + when}, Described(ledger.Diff(w.Tree, now))...)
	return &history.RestoreBegun{To: w.Rec.Run.Tree}, bound.First(lines, bound.Lines), nil
}

// Content opens contents by digest: from the store, or, where it does not hold
// them yet, from the folder.
func (w *Worktree) Content(dir string) ledger.Content {
	return func(ctx context.Context, entry ledger.Entry) (io.ReadCloser, error) {
		r, err := w.Rec.Store.Open(ctx, entry)
		if errors.Is(err, checkpoint.ErrNotFound) {
			return OpenIn(dir, entry.Path)
		}
		return r, err
	}
}

// Snapshot keeps a tree of the folder, beside the one that the run left. Small
// contents that the store does not hold durably yet come back inline, to stand
// in the journal.
func (w *Worktree) Snapshot(ctx context.Context, tree *ledger.Tree) (record.Snapshot, record.Inline, error) {
	if w.OwnBlobs {
		return w.Rec.Store.SnapshotInline(ctx, w.Dir, tree, w.Rec.Run.Tree)
	}
	snap, err := w.Rec.Store.Snapshot(ctx, w.Dir, tree, w.Rec.Run.Tree)
	return snap, nil, err
}

// OpenIn opens a file of a folder and never leads outside of it.
func OpenIn(dir, path string) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Open(filepath.FromSlash(path))
}

// LstatIn says what stands at a path of a folder. Nothing does where what it is to
// lie in is no folder; nothing behind a link is looked at.
func LstatIn(dir, path string) (fs.FileInfo, error) {
	for i, c := range path {
		if c != '/' {
			continue
		}
		if info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path[:i]))); err == nil && !info.IsDir() {
			return nil, fmt.Errorf("%w: %s lies in no folder", fs.ErrNotExist, path)
		}
	}
	return os.Lstat(filepath.Join(dir, filepath.FromSlash(path)))
}
