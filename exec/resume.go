package exec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/exec/preset"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// reopen takes up a run: it folds the journal, refuses another plan, and
// repairs what a crash left behind.
func (e *execution) reopen(ctx context.Context, prefix string) error {
	if err := e.openFound(ctx, prefix); err != nil {
		return err
	}
	if e.Rec.Run.Sealed != nil {
		return nil
	}
	if got, want := e.Locked.Digest(), e.Rec.Run.Started.Plan; got != want {
		hint := "resume it with the plan that it began with"
		if len(e.Rec.Run.Amendments) > 0 {
			hint = "resume it with the plan that it was amended to (Amended.Locked)"
		}
		return &session.Refusal{Run: e.Rec.Run.Started.Run, Hint: hint,
			Reasons: []string{fmt.Sprintf("the plan moved from %s to %s", want.Short(), got.Short())}}
	}
	if err := e.recall(ctx); err != nil {
		return err
	}
	*e.Rec.Seen = contract.Seen{}
	return e.takeUp(ctx)
}

// openFound opens the run that prefix names.
func (e *execution) openFound(ctx context.Context, prefix string) error {
	ws := e.workspace()
	id, err := ws.Find(prefix)
	if err != nil {
		return err
	}
	return e.openRun(ctx, ws, id)
}

// recall takes from a run that was opened what it is bound to and where it
// works, and reads the tree that it began with.
func (e *execution) recall(ctx context.Context) (err error) {
	if err := e.samePreset(); err != nil {
		return err
	}
	s := &e.Rec.Run.Started
	e.LockFile, e.NoSandbox = s.LockFile, s.NoSandbox
	e.Work.Scanner.Scope = e.Scope()
	if s.Isolated {
		ws := e.c.workspace()
		ws.Dir = e.Work.Root
		e.Work.Dir = filepath.Join(ws.RunDir(s.Run), "clone")
	}
	e.Work.Revive(ctx)
	e.Work.Base, err = e.Work.BaseTree(ctx)
	return err
}

// samePreset refuses a run under another preset than the one that it began
// with.
func (e *execution) samePreset() error {
	began := cmp.Or(e.Rec.Run.Started.Preset, preset.Default)
	if e.chosen != "" && e.chosen != began {
		return &session.Refusal{Run: e.Rec.Run.Started.Run, Hint: fmt.Sprintf("leave the preset out, or name %q: a run goes on under the preset that it began with", began),
			Reasons: []string{fmt.Sprintf("the run began under preset %q, and is to go on under %q", began, e.chosen)}}
	}
	e.c.Preset = began
	e.Ladder = e.c.ladder()
	return nil
}

// openRun folds the journal of a run and opens it for more.
func (e *execution) openRun(ctx context.Context, ws Workspace, id string) error {
	log, err := ws.openLog(ctx, id)
	if err != nil {
		return err
	}
	e.Rec.Journal, err = checkpoint.OpenJournalWith(ctx, log, id, e.c.now, func(rec record.Record) error {
		if err := e.Rec.Store.AdoptRecord(ctx, rec); err != nil {
			return err
		}
		return e.Rec.Run.Apply(rec)
	})
	if err != nil {
		return errors.Join(err, log.Close())
	}
	e.Rec.Run.Compact()
	if e.Rec.Run.Head.Seq == 0 {
		return notBegun(id)
	}
	return nil
}

// takeUp refuses if anything moved while nobody held the run, and says that it
// goes on. A tree that holds half a step is no external change: it is restored
// by the step itself.
func (e *execution) takeUp(ctx context.Context) error {
	resumed := &history.Resumed{Reason: "crash", Boot: disk.From(ctx).Boot()}
	if e.Rec.Run.Paused != nil {
		resumed.Reason = e.Rec.Run.Paused.Why
	}
	if s := contract.Current(e.Rec.Run); s != nil {
		resumed.InFlight = s.Address
	}
	lost := worktree.PowerWent(ctx, e.Rec.Run)
	if err := e.nobodyAfter(lost); err != nil {
		return err
	}
	if e.Rec.Run.Paused == nil && !lost {
		e.Work.TouchedAll(e.Work.Dir)
	}
	if e.Rec.Run.Started.Isolated && (e.noClone() || e.untried()) {
		if err := e.clone(ctx); err != nil {
			return err
		}
	}
	half, err := e.catchUp(ctx)
	if err != nil {
		return err
	}
	if err := e.bound.VerifyAgain(ctx, lost || half); err != nil {
		return err
	}
	if err := e.tools.VerifyAgain(ctx); err != nil {
		return err
	}
	facts := []history.Fact{resumed}
	if lost || half {
		why := "the machine started anew while the run was under way"
		if half {
			why = "a record was kept although writing it failed, and the restore that followed was cut short"
		}
		moved, err := e.accepted(ctx, why)
		if err != nil {
			return err
		}
		facts = append(facts, moved...)
	}
	facts = append(facts, e.policyChanged()...)
	if to := e.c.Mode; to != "" && to != e.Rec.Run.Mode {
		facts = append(facts, &history.ModeSwitched{From: e.Rec.Run.Mode, To: to, Cause: "chosen when the run was resumed"})
	}
	if err := e.Rec.Record(ctx, history.Where{}, facts...); err != nil {
		return err
	}
	e.PolicyMoved()
	e.people.Before.Keep(ctx)
	return nil
}

// nobodyAfter refuses to restore the tree of a run where a later one has worked
// in the workspace: that would undo what it did.
func (e *execution) nobodyAfter(lost bool) error {
	if e.Rec.Run.Started.Isolated || e.Rec.Run.Ended != nil || !lost && e.Rec.Run.Restoring == nil &&
		!contract.InFlight(contract.Current(e.Rec.Run)) {
		return nil
	}
	ws := e.workspace()
	ids, err := ws.Runs()
	if err != nil || len(ids) == 0 || ids[len(ids)-1] == e.Rec.Run.Started.Run {
		return err
	}
	return &session.Refusal{Run: e.Rec.Run.Started.Run, Hint: "lock a plan of what is left to be done, and run that",
		Reasons: []string{fmt.Sprintf("run %s has worked in this workspace since, and going on would restore the tree from before it", ids[len(ids)-1])}}
}

// noClone reports whether the clone of an isolated run is gone.
func (e *execution) noClone() bool {
	_, err := os.Stat(e.Work.Dir)
	return isMissing(err)
}

// untried reports whether no step was begun, nor the run set back: the clone of
// an isolated run may be half made.
func (e *execution) untried() bool {
	for _, s := range e.Rec.Run.Steps {
		if s.Status != history.Pending || len(s.Undone) > 0 {
			return false
		}
	}
	return e.Rec.Run.Restoring == nil && e.Rec.Run.Ended == nil
}

// catchUp repairs a tree that is one step behind the journal. A write that
// failed, and reached the disk all the same, leaves that: the controller had to
// take the step for lost and restored its checkpoint. Where it could not
// restore all of it either, as on a full disk, the tree is between the two,
// which half says, and what is there is kept before it is restored.
func (e *execution) catchUp(ctx context.Context) (half bool, err error) {
	s := e.Rec.Run.JustCompleted()
	if s == nil {
		return false, nil
	}
	now, err := e.Work.Scan(ctx)
	if err != nil || now.Digest() == e.Rec.Run.Tree.Tree {
		return false, err
	}
	if now.Digest() == s.Checkpoint.Checkpoint.Tree {
		_, err = e.Work.Restore(ctx, e.Work.Dir, e.Rec.Run.Tree)
		return false, err
	}
	before, err := e.Rec.Store.Tree(ctx, s.Checkpoint.Checkpoint)
	if err != nil {
		return false, err
	}
	after, err := e.Rec.Store.Tree(ctx, e.Rec.Run.Tree)
	if err != nil {
		return false, err
	}
	own := map[string]bool{}
	for _, c := range ledger.Diff(before, after) {
		own[c.Path] = true
	}
	for _, c := range ledger.Diff(after, now) {
		if !own[c.Path] {
			return false, nil // somebody else was there
		}
	}
	return true, nil
}

// accepted restores the tree that was accepted, where a power cut left another
// one, or a restore that was cut short. What is there is kept, as always; so
// who worked there before the run was taken up loses nothing.
func (e *execution) accepted(ctx context.Context, why string) ([]history.Fact, error) {
	restoring := e.Rec.Run.Restoring
	if e.Rec.Run.Ended != nil || restoring != nil && !restoring.Deliver ||
		contract.InFlight(contract.Current(e.Rec.Run)) {
		return nil, nil
	}
	if e.Rec.Run.Started.Isolated && e.Rec.Run.Delivered == nil {
		_, err := e.Work.Restore(ctx, e.Work.Dir, e.Rec.Run.Tree) // nobody else works in the clone
		return nil, err
	}
	now, err := e.Work.Tolerant().Scan(ctx, e.Work.Dir, nil)
	if err != nil || now.Digest() == e.Rec.Run.Tree.Tree {
		return nil, err
	}
	e.Warn(why + ", and the workspace is not as the run left it: it is restored, and what is there is kept")
	return []history.Fact{&history.RestoreBegun{To: e.Rec.Run.Tree}}, nil
}
