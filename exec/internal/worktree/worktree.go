// Package worktree is the folder in which a run works: what it holds, what of
// that is durable, and how it is brought back.
//
// A [Worktree] knows the tree that the run left there. It scans the folder
// where somebody had the occasion to write, restores snapshots, keeps what it
// undoes, and syncs what the run wrote before the run is let go.
package worktree

import (
	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/internal/recorder"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

// A Worktree is the folder of one run. Its methods must not be called at once.
type Worktree struct {
	Rec *recorder.Recorder
	// Root is the workspace, Dir where the work is done: the workspace, or a
	// clone of it.
	Root, Dir string
	// There says whether the path of the workspace still leads to the folder that
	// was opened; nil: nobody asks.
	There   func() error
	Scanner scan.Scanner
	// Base is the tree before the run, and Tree the one that the run left; nil
	// while nobody has looked.
	Base, Tree *ledger.Tree
	// Ours is set if whatever the folder holds besides what was accepted,
	// attempts of this controller did.
	Ours bool
	// OwnBlobs is set where a folder of ours keeps contents, so that small ones
	// may stand in the journal.
	OwnBlobs bool
	// Layers are what commands write in, and what of that is kept is merged into
	// Dir; nil: commands write in Dir.
	Layers *layer.Overlays
	// Noted is set where nobody but commands, which write in layers, and this
	// controller can write in Dir: then a note beside it says what it holds.
	Noted bool
	// Disk is what the note is written through; nil: the operating system.
	Disk *disk.Disk
	// RunDir is the folder of the run's own files.
	RunDir func() string
	// Warn tells of what went wrong without consequences for the run.
	Warn func(text string, can ...action.Action)

	in       folder
	aside    Aside
	partly   bool // Tree was scanned before a restore, and afterwards only where that wrote
	stamps   Stamps
	unsynced Unsynced
}

// Moved is an error where somebody moved the workspace, or put something else in
// its place: what lies at the path then is nothing that the run may write, or
// takes for its work.
func (w *Worktree) Moved() error {
	if w.There == nil {
		return nil
	}
	return w.There()
}

// Accepted notes that the tree which an attempt left was accepted: it is the
// checkpoint of the next step.
func (w *Worktree) Accepted(tree *ledger.Tree) {
	w.Tree, w.partly = tree, false
	w.Rec.Seen.Saw(guard.Tree)
}

// Found notes a tree that was scanned just now, and is the run's.
func (w *Worktree) Found(tree *ledger.Tree) {
	w.Tree = tree
	w.Rec.Seen.Saw(guard.Tree)
}

// Tolerant scans for restoring: what cannot be read must not stand in the way
// of getting rid of it.
func (w *Worktree) Tolerant() *scan.Scanner {
	scanner := w.Scanner
	scanner.Tolerant = true
	return &scanner
}
