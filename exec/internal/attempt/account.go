package attempt

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/ledger"
)

// What stands in the journal is bounded, whatever a step does: a record must
// never be too large to be written, or a failure could not be recorded.
const account = 1 << 20 // bytes of an account that stands in the journal itself

// account scans the tree and sets what was declared against what happened.
//
// The one scan serves twice: if the attempt is accepted, its tree is the
// checkpoint of the next step. Its contents are kept whatever comes of it,
// since what is undone must be there for whoever asks what it was.
func (t *trial) account(ctx context.Context) *fault {
	var err error
	t.runner.Forget() // what ran before the scan is in it
	if t.after, err = t.Work.Look(ctx, t.runner.Kept(), t.before); err != nil {
		return faultf(history.Crashed, "the tree cannot be read: %v", err)
	}
	entry := &history.Accounted{Declared: t.Plan.Declared(t.task, t.step)}
	entry.Unsaid = t.step.Artifacts == nil && entry.Declared.Within == nil
	if entry.Unsaid {
		if err = t.dropSockets(ctx); err != nil {
			return faultf(history.Crashed, "what the step left cannot be taken away: %v", err)
		}
	}
	entry.Tree, entry.Changes = t.after.Digest(), ledger.Diff(t.before, t.after)
	t.Work.Unsynced().Note(t.Work.Dir, entry.Changes)
	var inline record.Inline
	t.snap, inline, err = t.Work.Snapshot(ctx, t.after)
	switch {
	case noSpace(err):
		return faultf(history.NoSpace, "what the step did cannot be kept, which takes up to %d bytes: %v",
			size(entry.Changes), err)
	case err != nil:
		return faultf(history.Crashed, "what the step did cannot be kept: %v", err)
	}
	content := t.Work.Content(t.Work.Dir)
	made, err := t.Sources.Compare(ctx, entry.Changes, content)
	if err != nil {
		return faultf(history.Crashed, "the changes cannot be read: %v", err)
	}
	entry.Symbols, entry.Lines, entry.PerPath, entry.Unread = made.Symbols, made.Lines, made.PerPath, made.Unread
	entry.Account = ledger.Reconcile(entry.Declared, entry.Changes, entry.Symbols)
	t.entry = entry
	if t.journalled, err = t.abridge(ctx, entry); err != nil {
		return faultf(history.Crashed, "the account cannot be kept: %v", err)
	}
	t.journalled.Inline = inline
	return nil
}

// dropSockets takes away the sockets and devices that an attempt left in the copy of
// the workspace, whose step is held to nothing: whoever listened is gone, and no
// workspace, and no restore, could have them.
func (t *trial) dropSockets(ctx context.Context) error {
	if !t.Work.Layered() {
		return nil
	}
	var gone []ledger.Change
	for _, c := range ledger.Diff(t.before, t.after) {
		if isSocket(c) {
			gone = append(gone, ledger.Change{Path: c.Path})
			t.Warn(fmt.Sprintf("step %s left a socket or a device at %s, which is dropped: nobody listens there any more",
				t.s.Address, c.Path))
		}
	}
	if len(gone) == 0 {
		return nil
	}
	without, err := worktree.With(t.after, gone, t.after)
	if err == nil {
		t.after, err = t.Work.TakeBack(ctx, without)
	}
	return err
}

// isSocket reports whether a change leaves a socket or a device where none was.
func isSocket(c ledger.Change) bool {
	return c.After != nil && c.After.Kind == ledger.Special && c.After.Target != ledger.FIFO &&
		(c.Before == nil || c.Before.Kind != ledger.Special)
}

// disk is how many bytes of files an attempt may write; 0: as many as it likes.
func (t *trial) disk() int64 {
	n, _ := process.Bytes(t.Plan.Sandbox.Disk) // a size that is none was refused at the start
	return n
}

// snapshot keeps a tree that differs little from the accepted one. What it
// returns has to go into the journal with it; a host's own store keeps
// everything itself. size is how many bytes the new contents of changes have.
func size(changes []ledger.Change) int64 {
	var n int64
	for _, c := range changes {
		if c.After != nil {
			n += c.After.Size
		}
	}
	return n
}

// abridge is an account as the journal takes it. Of a large one the whole is
// kept in the store, and the journal has its digest and its beginning.
func (a *Attempts) abridge(ctx context.Context, entry *history.Accounted) (*history.Accounted, error) {
	text, err := json.Marshal(entry)
	if err != nil {
		return nil, err
	}
	short := *entry
	short.Total = len(entry.Changes)
	if len(text) <= account {
		return &short, nil
	}
	if short.Whole, err = a.Rec.Store.Put(ctx, text); err != nil {
		return nil, err
	}
	short.Changes = firstChanges(entry.Changes)
	short.Account.Matching = firstChanges(entry.Account.Matching)
	short.Account.Extra = firstChanges(entry.Account.Extra)
	short.Account.Missing = entry.Account.Missing[:min(bound.Lines, len(entry.Account.Missing))]
	short.Account.SymbolsMatching = entry.Account.SymbolsMatching[:min(bound.Lines, len(entry.Account.SymbolsMatching))]
	short.Account.SymbolsExtra = entry.Account.SymbolsExtra[:min(bound.Lines, len(entry.Account.SymbolsExtra))]
	short.Symbols = entry.Symbols[:min(bound.Lines, len(entry.Symbols))]
	short.Unread = entry.Unread[:min(bound.Lines, len(entry.Unread))]
	short.PerPath = map[string]ledger.LineCount{}
	for _, c := range short.Changes {
		if n, ok := entry.PerPath[c.Path]; ok {
			short.PerPath[c.Path] = n
		}
	}
	return &short, nil
}

// firstChanges are as many changes as may be bound.Lines, those with very long
// paths counting for several.
func firstChanges(changes []ledger.Change) []ledger.Change {
	room := bound.Lines * bound.Line / 8
	for i, c := range changes {
		if room -= 200 + len(c.Path); i == bound.Lines || room < 0 {
			return changes[:i]
		}
	}
	return changes
}
