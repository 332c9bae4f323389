package worktree

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/git"
)

// Layered reports whether the run works in a copy of the workspace, where
// nobody else does.
func (w *Worktree) Layered() bool { return w.Dir != w.Root }

// Enter begins to work in a clone, which is made to hold the tree that was
// accepted.
func (w *Worktree) Enter(ctx context.Context, dir string) error {
	w.Dir, w.Tree = dir, nil
	w.Disturb()
	scanner := w.Tolerant()
	scanner.Like = w.Base
	have, err := scanner.Scan(ctx, dir, nil)
	if err != nil {
		return err
	}
	w.Tree = have
	if err := w.Regain(ctx); err != nil {
		return err
	}
	return w.Aside().Enter()
}

// Regain has the clone hold the tree that was accepted, whatever somebody wrote
// there who may only look.
func (w *Worktree) Regain(ctx context.Context) error {
	want, err := w.Rec.Store.Tree(ctx, w.Rec.Run.Tree)
	if err != nil {
		return err
	}
	_, err = w.TakeBack(ctx, want)
	return err
}

// TakeBack undoes in the clone what was written there since it held a tree, and
// returns that tree as it was seen now. What judges and advisors write
// vanishes.
func (w *Worktree) TakeBack(ctx context.Context, want *ledger.Tree) (*ledger.Tree, error) {
	ctx = context.WithoutCancel(ctx)
	have, err := w.folder().look(ctx, w.Tolerant(), w.Tree)
	if err != nil {
		return nil, err
	}
	if have.Digest() != want.Digest() {
		w.folder().write()
		if err := w.Rec.Store.Restore(ctx, w.Dir, want, have); err != nil {
			w.Disturb()
			return nil, fmt.Errorf("exec: the copy in which the run works could not be restored to tree %s: %w",
				want.Digest().Short(), err)
		}
		if have, err = w.folder().again(ctx, have, paths(ledger.Diff(have, want))); err != nil {
			return nil, err
		}
	}
	for _, c := range ledger.Diff(want, have) {
		if !have.Tracked(c.Path) && !(c.Op == ledger.Created && c.Kind() == ledger.Dir) {
			return nil, fmt.Errorf("exec: %s is not tree %s after it was restored: %s", w.Dir, want.Digest().Short(), c)
		}
	}
	w.Tree = have
	w.Rec.Seen.Saw(guard.Tree)
	return have, nil
}

// With is a tree with further changes made to it, of those that made another
// tree: what came lies in folders, as it does there, and what lay in a folder
// that went is gone too.
func With(tree *ledger.Tree, changes []ledger.Change, made *ledger.Tree) (*ledger.Tree, error) {
	by := map[string]*ledger.Entry{}
	for _, c := range changes {
		by[c.Path] = c.After
	}
	for _, c := range changes {
		for folder := c.Path; c.After != nil; {
			folder = path.Dir(folder)
			if _, known := by[folder]; known || folder == "." {
				break
			}
			if e, ok := made.Lookup(folder); ok {
				by[folder] = &e
			}
		}
	}
	return tree.Edited(by)
}

// RenewChanged names the files among names, with slashes, that the layer holds
// otherwise than the workspace, and has it hold them as that does.
func RenewChanged(w *Worktree, names []string) []string {
	var changed []string
	for _, name := range names {
		path := filepath.FromSlash(name)
		theirs, err := os.ReadFile(filepath.Join(w.Root, path))
		if err != nil {
			continue // whoever is bound to it says so
		}
		ours, err := readIn(w.Dir, path)
		if err == nil && bytes.Equal(ours, theirs) {
			continue
		}
		changed = append(changed, name)
		_ = layer.Renew(context.Background(), w.Root, w.Dir, path) // nobody reads the copy
	}
	return changed
}

// Held is what the layer holds of the files among names, with slashes, that are
// there.
func Held(w *Worktree, names []string) map[string][]byte {
	held := map[string][]byte{}
	for _, name := range names {
		if text, err := readIn(w.Dir, filepath.FromSlash(name)); err == nil {
			held[name] = text
		}
	}
	return held
}

// readIn reads a file of a folder, and nothing outside of it.
func readIn(dir, path string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.ReadFile(path)
}

// RenewRepository puts a copy of the workspace's repository in place of that of
// the layer, if a step moved it, and names what it moved.
func RenewRepository(ctx context.Context, w *Worktree) ([]string, error) {
	now, err := git.Read(w.Dir)
	if err != nil {
		return nil, err
	}
	moved := w.Rec.Run.Git.Moved(now)
	if len(moved) == 0 {
		return nil, nil
	}
	if err := layer.Renew(ctx, w.Root, w.Dir, ".git"); err != nil {
		return nil, fmt.Errorf("exec: the repository: %w", err)
	}
	return moved, nil
}
