package exec

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/bound"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
	"github.com/planlock/planlock/plan"
)

// compensationTime bounds a compensation whose step has no time-out of its own.
const compensationTime = 5 * time.Minute

// restored carries out the restore that the journal announced for an attempt of
// a step (0: none), compensation first, and says so. It can be repeated.
func (e *execution) restored(ctx context.Context, s *history.Step, attempt int) error {
	have, err := e.keepFirst(ctx, history.Of(s, attempt), e.dir)
	if err != nil {
		return err
	}
	ran, err := e.compensate(ctx, s)
	if err != nil {
		return err
	}
	if ran {
		have = nil // it may have written
	}
	// All of the tree is scanned when the next attempt is accounted for, or at the end.
	done, err := e.restoreFrom(ctx, e.dir, e.run.Restoring.To, have, e.scanner.ScanWritten)
	if err != nil {
		return err
	}
	e.partly = true
	if err := e.record(ctx, history.Of(s, attempt), done); err != nil {
		return err
	}
	e.notify(e.c.Observer.Restored, Event{History: s, Attempt: attempt})
	return nil
}

// restoredRun carries out a restore that belongs to no step: after final gates
// that changed the tree, and when an isolated run is delivered.
func (e *execution) restoredRun(ctx context.Context) error {
	dir := e.dir
	if e.run.Restoring.Deliver {
		dir = e.root
	}
	have, err := e.keepFirst(ctx, history.Where{}, dir)
	if err != nil {
		return err
	}
	deliver := e.run.Restoring.Deliver
	done, err := e.restoreFrom(ctx, dir, e.run.Restoring.To, have, e.scanAll)
	if err != nil {
		return err
	}
	facts := []history.Fact{done}
	if deliver {
		if err := e.makeDurable(ctx, dir); err != nil {
			return err // it is delivered again when the run is taken up
		}
		facts = append(facts, &history.Delivered{Tree: done.Tree})
	}
	return e.record(ctx, history.Where{}, facts...)
}

// keepFirst keeps what a folder holds, if it is neither what is to be restored
// nor what has been kept already: somebody may have worked there meanwhile.
// It returns what it found.
func (e *execution) keepFirst(ctx context.Context, w history.Where, dir string) (*ledger.Tree, error) {
	ctx = context.WithoutCancel(ctx)
	begun := *e.run.Restoring
	have, err := e.tolerant().Scan(ctx, dir, e.left(dir))
	if err != nil {
		return nil, err
	}
	if dir == e.dir {
		e.tree = have // so that nobody has to read all of it again
		e.seen.Forget(contract.Tree)
	}
	if have.Digest() == begun.To.Tree || have.Digest() == begun.Discarded.Tree {
		return have, nil
	}
	ours := e.ours || e.run.Started.Isolated && dir == e.dir
	snap, err := e.store.Snapshot(ctx, dir, have, begun.To)
	if err == nil && !ours {
		err = unread(have)
	}
	switch {
	case err != nil && !ours:
		return nil, fmt.Errorf("exec: what %s holds cannot be kept, and somebody may have worked there since the last controller; so it is not undone: mend that and resume the run: %w", dir, err)
	case err != nil:
		e.warn(fmt.Sprintf("what is undone in %s cannot be kept: %v", dir, err))
		return have, nil
	}
	begun.Discarded = snap
	if err := e.record(ctx, w, &begun); err != nil {
		return nil, err
	}
	return have, e.tellUndone(ctx, w, begun, have)
}

// unread names what a tree lacks because it could not be read.
func unread(tree *ledger.Tree) error {
	if paths := tree.Unread(); len(paths) > 0 {
		return fmt.Errorf("%s cannot be read: make it readable, or take it away", strings.Join(bound.First(paths, 5), ", "))
	}
	return nil
}

// tellUndone tells what is undone besides what an attempt was seen to do: it may be somebody else's work.
func (e *execution) tellUndone(ctx context.Context, w history.Where, begun history.RestoreBegun, have *ledger.Tree) error {
	want, err := e.store.Tree(ctx, begun.To)
	if err != nil {
		return err
	}
	var lines []string
	for _, change := range ledger.Diff(want, have) {
		lines = append(lines, change.String())
	}
	text := fmt.Sprintf("what was found is undone, and kept as tree %s: %s", begun.Discarded.Tree.Short(), strings.Join(bound.First(lines, 5), "; "))
	var look []action.Action
	if w.Step != "" && w.Attempt > 0 {
		look = []action.Action{{Kind: action.Diff, Run: e.run.Started.Run, Step: w.Step, Attempt: w.Attempt}}
	}
	e.warn(text, look...)
	return nil
}

// tolerant scans for restoring: what cannot be read must not stand in the way
// of getting rid of it.
func (e *execution) tolerant() *scan.Scanner {
	scanner := e.scanner
	scanner.Tolerant = true
	return &scanner
}

// left is the tree that we left in a folder, so that scanning need not read all of it again.
func (e *execution) left(dir string) *ledger.Tree {
	if dir != e.dir {
		return nil
	}
	return e.tree
}

// warn tells of what went wrong without consequences for the run, and what can be done about it.
func (e *execution) warn(text string, actions ...action.Action) {
	e.log.Warn(text, "run", e.run.Started.Run)
	e.notify(e.c.Observer.Warning, Event{Text: text, Actions: actions})
}

// restoreTree makes a folder hold a snapshot's tree, and looks whether it does.
// What the plan tracks is not restored, and what it ignores is left alone: where
// the tree is another because of that, it is kept as it is.
func (e *execution) restoreTree(ctx context.Context, dir string, to record.Snapshot) (*history.Restored, error) {
	return e.restoreFrom(ctx, dir, to, nil, e.scanAll)
}

// restoreFrom is restoreTree for a folder that was just scanned, by a tolerant scan: what it holds is have, nil if it has to be looked at first.
// What it wrote at least is looked at again.
func (e *execution) restoreFrom(ctx context.Context, dir string, to record.Snapshot, have *ledger.Tree, again rescan) (*history.Restored, error) {
	ctx = context.WithoutCancel(ctx)
	want, err := e.store.Tree(ctx, to)
	if err != nil {
		return nil, err
	}
	if have == nil {
		if have, err = e.tolerant().Scan(ctx, dir, e.left(dir)); err != nil {
			return nil, err
		}
	}
	if have.Digest() != want.Digest() || !sameTimes(want, have) {
		e.touched(dir, ledger.Diff(have, want))
		written := paths(ledger.Touched(have, want))
		if err := e.store.Restore(ctx, dir, want, have); err != nil {
			return nil, fmt.Errorf("exec: %s could not be restored to tree %s: %w", dir, to.Tree.Short(), err)
		}
		if have, err = again(ctx, dir, have, written); err != nil {
			return nil, err
		}
	}
	done := &history.Restored{Tree: to.Tree}
	left := false
	for _, change := range ledger.Diff(want, have) {
		// A new folder that is still there holds files that the plan ignores.
		folder := change.Op == ledger.Created && change.Kind() == ledger.Dir
		if !folder && !have.Tracked(change.Path) {
			return nil, fmt.Errorf("exec: %s is not tree %s after it was restored: %s", dir, to.Tree.Short(), change)
		}
		left = true
	}
	if left {
		if done.Left, err = e.store.Snapshot(ctx, dir, have, to); err != nil {
			return nil, err
		}
	}
	if dir == e.dir {
		e.tree = have
		e.seen.Saw(contract.Tree)
	}
	return done, nil
}

// A rescan scans a folder in which paths were written since prior was scanned.
type rescan func(ctx context.Context, dir string, prior *ledger.Tree, paths []string) (*ledger.Tree, error)

// scanAll is a rescan that looks at everything: nobody would find later what others wrote.
func (e *execution) scanAll(ctx context.Context, dir string, prior *ledger.Tree, _ []string) (*ledger.Tree, error) {
	return e.scanner.Scan(ctx, dir, prior)
}

// paths are those of changes.
func paths(changes []ledger.Change) []string {
	list := make([]string, len(changes))
	for i := range changes {
		list[i] = changes[i].Path
	}
	return list
}

// compensate undoes what the latest attempt of a step did outside of the
// workspace, as the plan says, unless it has been done. It is run again where
// the controller died before it could say so. It reports whether anything was run.
func (e *execution) compensate(ctx context.Context, s *history.Step) (ran bool, err error) {
	step := e.contract.At(s.Address).Step
	a := s.Last()
	if step.Rollback != plan.Compensatable || step.Compensate == "" || a == nil || a.Compensated != nil {
		return false, nil
	}
	limit := step.Timeout
	if limit <= 0 {
		limit = compensationTime
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	done := &history.Compensated{Run: step.Compensate}
	result, err := e.runner(step).Run(ctx, gate.Command{Run: step.Compensate})
	done.Exit, done.Output = result.Exit, bound.Text(result.Output, bound.Output)
	if err != nil {
		done.Error = err.Error()
	}
	return true, e.record(ctx, history.Of(s, a.Number), done)
}

// sameTimes reports whether the entries of two trees of the same digest have the same times of modification,
// those aside that are only tracked. They are no part of a digest, and build tools look at them.
func sameTimes(want, have *ledger.Tree) bool {
	for _, c := range ledger.Touched(want, have) {
		if !have.Tracked(c.Path) {
			return false
		}
	}
	return true
}
