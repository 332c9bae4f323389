package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/ledger"
)

// What the copy of a run holds would have to be found out by each controller
// that takes the run up, by a look at all of it. So a file beside it says which
// tree that is, as long as nobody but this controller writes there, and says
// nothing before anybody does. It is written over in place, never synced, and
// believed within one life of the machine alone.

const (
	noteName  = "clone-holds"
	noteBytes = 80 // more than a digest
)

// A note is such a file.
type note struct {
	says   ledger.Digest // what this controller wrote last
	silent bool          // it says nothing
}

func (n *note) file(w *Worktree) string { return filepath.Join(w.RunDir(), noteName) }

// write says which tree the copy holds. That it cannot be said costs the next
// controller a look.
func (n *note) write(w *Worktree, tree ledger.Digest) {
	if n.says == tree && !n.silent || !w.Noted {
		return
	}
	if err := n.put(w, string(tree), os.O_CREATE); err != nil {
		n.erase(w)
		return
	}
	n.says, n.silent = tree, false
}

// erase has the file say nothing.
func (n *note) erase(w *Worktree) {
	if n.silent {
		return
	}
	err := n.put(w, "", 0)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // who cannot write it cannot write the copy either
		err = w.Disk.Anywhere().Remove(n.file(w))
	}
	n.silent = err == nil || errors.Is(err, fs.ErrNotExist)
}

func (n *note) put(w *Worktree, text string, flags int) error {
	f, err := w.Disk.Anywhere().OpenFile(n.file(w), os.O_WRONLY|flags, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(text+strings.Repeat("\n", noteBytes-len(text))), 0)
	return errors.Join(err, f.Close())
}

// read is the tree that a controller before this one noted; "" if none.
func (n *note) read(w *Worktree) ledger.Digest {
	f, err := w.Disk.Anywhere().Open(n.file(w))
	if err != nil {
		return ""
	}
	defer f.Close() // only read
	text := make([]byte, noteBytes)
	if _, err := f.ReadAt(text, 0); err != nil {
		return ""
	}
	return ledger.Digest(strings.TrimRight(string(text), "\n"))
}

// Reuse takes over what an earlier controller of this life of the machine left in
// the copy, where it noted that this is the tree which the run accepted: then
// nobody has to look at all of it. What it saw there is in w.Tree; what changed
// since is looked at.
func (w *Worktree) Reuse(ctx context.Context) error {
	f := w.folder()
	accepted := w.Rec.Run.Tree
	if w.Layers == nil || w.Tree == nil || !w.Noted || f.note.read(w) != accepted.Tree {
		w.Disturb()
		return nil
	}
	have := w.Tree
	if have.Digest() != accepted.Tree {
		want, err := w.Rec.Store.Tree(ctx, accepted)
		if err != nil {
			return err
		}
		have, err = w.Scanner.ScanWritten(ctx, w.Dir, have, paths(ledger.Diff(have, want)))
		if err != nil || have.Digest() != accepted.Tree || len(have.Unread()) > 0 {
			w.Disturb() // a look at all of it says what is wrong
			return nil
		}
	}
	f.holds, f.note.says = have, accepted.Tree
	w.Tree = have
	w.Rec.Seen.Saw(guard.Tree)
	return nil
}

// Salvage does in the copy what was done in a layer whose controller died. The
// caller drops the layer.
func (w *Worktree) Salvage(ctx context.Context, in *layer.Layer) error {
	holds := w.in.holds
	changes, err := in.Changes(ctx, holds)
	switch {
	case err != nil:
		return err
	case holds == nil:
		return in.Merge(changes)
	}
	_, err = w.merge(ctx, in, changes, holds)
	return err
}
