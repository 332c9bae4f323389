package binding

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/ledger"
)

// shownSince is how many changes since the lock are named.
const shownSince = 10

// fileClock is how far the times of files can be behind the clock: a system
// sets them in steps.
const fileClock = 20 * time.Millisecond

// SinceLock says what is not as it was when the lock was made. A lock binds the
// digest of the tree and keeps nothing of it: what changed is known where a run
// in this workspace has kept the same tree. Else files are named that are newer
// than the lock.
func (b *Binding) SinceLock(ctx context.Context, want ledger.Digest) string {
	if was := b.keptTree(ctx, want); was != nil {
		lines := worktree.Described(ledger.Diff(was, b.Work.Base))
		return "changed since the lock was made: " + strings.Join(bound.First(lines, shownSince), "; ")
	}
	made := b.Locked.Options().At
	if made.IsZero() {
		return "the lock does not say when it was made; what keeps versions of the workspace (such as git status) can say what changed"
	}
	var newer []string
	since := made.Add(-fileClock)
	for entry := range b.Work.Base.All() {
		if entry.ModTime.After(since) {
			newer = append(newer, fmt.Sprintf("%q", entry.Path))
		}
	}
	if len(newer) == 0 {
		return "nothing here is newer than the lock, so something was removed, renamed or given another mode, or has kept its old time; " +
			"what keeps versions of the workspace (such as git status) can say what"
	}
	return "newer than the lock: " + strings.Join(bound.First(newer, shownSince), "; ") + " (what was removed or kept its old time is not among these)"
}

// keptTree is a tree that a run in this workspace has kept, the latest run
// first; nil if none has, or it cannot be read.
func (b *Binding) keptTree(ctx context.Context, want ledger.Digest) *ledger.Tree {
	earlier, err := b.Earlier(ctx, checkpoint.Which{})
	if err != nil {
		return nil
	}
	for _, run := range earlier {
		if snap := snapshotOf(run, want); snap != (record.Snapshot{}) {
			if tree, err := b.Rec.Store.Tree(ctx, snap); err == nil {
				return tree
			}
		}
	}
	return nil
}

// snapshotOf is where a run has kept a tree, if it has: as the one it left, the
// one it began with, or the checkpoint after a step.
func snapshotOf(run *history.Run, want ledger.Digest) record.Snapshot {
	kept := []record.Snapshot{run.Tree, run.Started.Base}
	for _, s := range run.Steps {
		if s.Completed != nil {
			kept = append(kept, s.Completed.Snapshot)
		}
	}
	for _, snap := range kept {
		if snap.Tree == want {
			return snap
		}
	}
	return record.Snapshot{}
}
