package worktree

import (
	"context"
	"fmt"
	"strings"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/ledger"
)

// A Restorer brings back what folders held. What it undoes is kept first.
type Restorer struct{ of *Worktree }

// Restorer brings back what the folder of the run, or the workspace, held.
func (w *Worktree) Restorer() Restorer { return Restorer{w} }

// KeepFirst keeps what a folder holds, if it is neither what is to be restored
// nor what has been kept already: somebody may have worked there meanwhile. It
// returns what it found.
func (r Restorer) KeepFirst(ctx context.Context, at history.Where, dir string) (*ledger.Tree, error) {
	w := r.of
	ctx = context.WithoutCancel(ctx)
	if err := w.Moved(); err != nil {
		return nil, err
	}
	begun := *w.Rec.Run.Restoring
	have, err := r.scanTolerant(ctx, dir)
	if err != nil {
		return nil, err
	}
	if dir == w.Dir {
		w.Tree = have // so that nobody has to read all of it again
		w.Rec.Seen.Forget(guard.Tree)
	}
	if have.Digest() == begun.To.Tree || have.Digest() == begun.Discarded.Tree {
		return have, nil
	}
	ours := w.Ours || w.Layered() && dir == w.Dir
	snap, err := w.Rec.Store.Snapshot(ctx, dir, have, begun.To)
	if err == nil && !ours {
		err = unread(have)
	}
	switch {
	case err != nil && !ours:
		return nil, fmt.Errorf("exec: what %s holds cannot be kept, and somebody may have worked there since the last controller; so it is not undone: mend that and resume the run: %w", dir, err)
	case err != nil:
		w.Warn(fmt.Sprintf("what is undone in %s cannot be kept: %v", dir, err))
		return have, nil
	}
	begun.Discarded = snap
	if err := w.Rec.Record(ctx, at, &begun); err != nil {
		return nil, err
	}
	return have, r.tellUndone(ctx, at, begun, have)
}

// unread names what a tree lacks because it could not be read.
func unread(tree *ledger.Tree) error {
	if paths := tree.Unread(); len(paths) > 0 {
		return fmt.Errorf("%s cannot be read: make it readable, or take it away", strings.Join(bound.First(paths, 5), ", "))
	}
	return nil
}

// tellUndone tells what is undone besides what an attempt was seen to do: it
// may be somebody else's work.
func (r Restorer) tellUndone(ctx context.Context, at history.Where, begun history.RestoreBegun,
	have *ledger.Tree) error {
	w := r.of
	want, err := w.Rec.Store.Tree(ctx, begun.To)
	if err != nil {
		return err
	}
	lines := Described(ledger.Diff(want, have))
	text := fmt.Sprintf("what was found is undone, and kept as tree %s: %s", begun.Discarded.Tree.Short(),
		strings.Join(bound.First(lines, 5), "; "))
	if at.Step == "" {
		at = leftBy(w.Rec.Run, begun.Discarded)
	}
	if at.Step == "" && w.Layered() {
		return nil // our copy lags behind the workspace, of which nothing is undone
	}
	var look []action.Action
	if at.Step != "" && at.Attempt > 0 {
		look = []action.Action{{Kind: action.Diff, Run: w.Rec.Run.Started.Run, Step: at.Step, Attempt: at.Attempt}}
	}
	w.Warn(text, look...)
	return nil
}

// leftBy is the attempt that left what was discarded, though its beginning was
// disowned; nowhere if none did. One that changed nothing left nothing.
func leftBy(run *history.Run, discarded record.Snapshot) history.Where {
	for _, s := range run.Steps {
		for _, a := range s.Undone {
			if a.Discarded == discarded && a.Discarded != a.Base {
				return s.Where(a.Number)
			}
		}
	}
	return history.Where{}
}

// scanTolerant is a tolerant scan that need not read all of the tree which we
// left in a folder.
func (r Restorer) scanTolerant(ctx context.Context, dir string) (*ledger.Tree, error) {
	w := r.of
	if dir == w.Dir {
		return w.folder().look(ctx, w.Tolerant(), w.Tree)
	}
	return w.Tolerant().Scan(ctx, dir, nil)
}

// Restore makes a folder hold a snapshot's tree, and looks whether it does.
// What the plan tracks is not restored, and what it ignores is left alone:
// where the tree is another because of that, it is kept as it is.
func (r Restorer) Restore(ctx context.Context, dir string, to record.Snapshot) (*history.Restored, error) {
	return r.RestoreFrom(ctx, dir, to, nil, false)
}

// RestoreFrom is Restore for a folder that was just scanned, by a tolerant
// scan: what it holds is have, nil if it has to be looked at first. With
// partly, only what it wrote is looked at again: somebody will look at all of
// the folder later (see [Worktree.LookAtAll]).
func (r Restorer) RestoreFrom(ctx context.Context, dir string, to record.Snapshot, have *ledger.Tree,
	partly bool) (*history.Restored, error) {
	w := r.of
	ctx = context.WithoutCancel(ctx)
	if err := w.Moved(); err != nil {
		return nil, err
	}
	want, err := w.Rec.Store.Tree(ctx, to)
	if err != nil {
		return nil, err
	}
	if have == nil {
		if have, err = r.scanTolerant(ctx, dir); err != nil {
			return nil, err
		}
	}
	if have.Digest() != want.Digest() || !sameTimes(want, have) {
		w.Unsynced().Note(dir, ledger.Diff(have, want))
		written := paths(ledger.Touched(have, want))
		if dir == w.Dir {
			w.folder().write()
		}
		if err := w.Rec.Store.Restore(ctx, dir, want, have); err != nil {
			w.Disturb()
			return nil, fmt.Errorf("exec: %s could not be restored to tree %s: %w", dir, to.Tree.Short(), err)
		}
		switch {
		case dir == w.Dir && w.in.holds != nil:
			have, err = w.folder().again(ctx, have, written)
			partly = false // nobody else wrote
		case partly:
			have, err = w.Scanner.ScanWritten(ctx, dir, have, written)
		default: // nobody would find later what others wrote
			have, err = w.Scanner.Scan(ctx, dir, have)
		}
		if err != nil {
			return nil, err
		}
	}
	done := &history.Restored{Tree: to.Tree}
	left, stays := false, []string(nil)
	for _, change := range ledger.Diff(want, have) {
		// A new folder that is still there holds files that the plan ignores.
		folder := change.Op == ledger.Created && change.Kind() == ledger.Dir
		if !folder && !have.Tracked(change.Path) {
			return nil, fmt.Errorf("exec: %s is not tree %s after it was restored: %s", dir, to.Tree.Short(), change)
		}
		left = true
		stays = append(stays, change.Path)
	}
	if left {
		done.Stays = bound.First(stays, 20)
		if done.Left, err = w.Rec.Store.Snapshot(ctx, dir, have, to); err != nil {
			return nil, err
		}
	}
	if dir == w.Dir {
		w.Found(have)
	}
	w.partly = w.partly || partly
	return done, nil
}

// paths are those of changes.
func paths(changes []ledger.Change) []string {
	list := make([]string, len(changes))
	for i := range changes {
		list[i] = changes[i].Path
	}
	return list
}

// sameTimes reports whether the entries of two trees of the same digest have
// the same times of modification, those aside that are only tracked. They are
// no part of a digest, and build tools look at them.
func sameTimes(want, have *ledger.Tree) bool {
	for _, c := range ledger.Touched(want, have) {
		if !have.Tracked(c.Path) {
			return false
		}
	}
	return true
}
