package exec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// undo records why an attempt failed and restores the checkpoint. What is undone
// is kept, so that nothing anybody did is lost.
func (e *execution) undo(ctx context.Context, t *trial, f *fault) error {
	begun := &history.RestoreBegun{To: e.run.Tree, Discarded: t.snap}
	facts := append(t.facts(), &f.AttemptFailed, begun)
	if err := e.record(ctx, of(t.s, t.number), facts...); err != nil {
		// The journal is dead. The tree is restored all the same; the next
		// controller finds the attempt unfinished and restores it once more.
		_, again := e.restoreTo(ctx, t.s, begun.To)
		return errors.Join(err, again)
	}
	e.notify(e.c.Observer.AttemptFailed, Event{History: t.s, Attempt: t.number,
		Err: &StepError{Step: t.s.Address, Class: f.Class, Reasons: f.Reasons}})
	if err := e.compensate(ctx, t); err != nil {
		return err
	}
	if err := e.restored(ctx, t.s, t.number); err != nil {
		return err
	}
	if f.Class != history.Moved {
		return nil
	}
	moves, err := e.moves(ctx)
	if err != nil || len(moves) == 0 {
		return err
	}
	refused := &RefusedError{Run: e.run.Started.Run, Hint: "undo that and resume the run, or lock the plan again"}
	for _, m := range moves {
		refused.Reasons = append(refused.Reasons, m.String())
	}
	return e.letGo(ctx, refused)
}

// restored restores what a RestoreBegun fact announced, and says so.
func (e *execution) restored(ctx context.Context, s *history.Step, attempt int) error {
	done, err := e.restoreTo(ctx, s, e.run.Restoring.To)
	if err != nil {
		return err
	}
	if err := e.record(ctx, of(s, attempt), done); err != nil {
		return err
	}
	e.notify(e.c.Observer.Restored, Event{History: s, Attempt: attempt})
	return nil
}

// restoreTo makes the tree a snapshot's again, and looks whether it is. What the
// plan tracks is not restored: where it changed, the tree that is left is kept.
func (e *execution) restoreTo(ctx context.Context, s *history.Step, to checkpoint.Snapshot) (*history.Restored, error) {
	ctx = context.WithoutCancel(ctx)
	want, err := e.store.Tree(ctx, to)
	if err != nil {
		return nil, err
	}
	have, err := e.scanner.Scan(ctx, e.dir, e.tree)
	if err != nil {
		return nil, err
	}
	if have.Digest() != want.Digest() {
		if err := e.store.Restore(ctx, e.dir, want, have); err != nil {
			return nil, fmt.Errorf("exec: the tree could not be restored to the checkpoint before %s: %w", s.Address, err)
		}
		if have, err = e.scanner.Scan(ctx, e.dir, have); err != nil {
			return nil, err
		}
	}
	done := &history.Restored{Tree: to.Tree}
	left := false
	for _, change := range ledger.Diff(want, have) {
		// A new folder that is still there holds files that the plan ignores.
		folder := change.Op == ledger.Created && change.Kind() == ledger.Dir
		if !folder && !have.Tracked(change.Path) {
			return nil, fmt.Errorf("exec: the tree is not the checkpoint before %s after it was restored: %s", s.Address, change)
		}
		left = true
	}
	if left {
		if done.Left, err = e.store.Snapshot(ctx, e.dir, have, to); err != nil {
			return nil, err
		}
	}
	e.tree, e.stale = have, false
	return done, nil
}

// restoreAgain finishes a restore that was cut off.
func (e *execution) restoreAgain(ctx context.Context, s *history.Step) error {
	return e.restored(ctx, s, len(s.Attempts))
}

// lose gives up an attempt of which nobody knows how it ended, because the
// controller died. What it left is kept and undone.
func (e *execution) lose(ctx context.Context, s *history.Step) error {
	begun := &history.RestoreBegun{To: s.Checkpoint.Checkpoint}
	tree, err := e.scanner.Scan(ctx, e.dir, e.tree)
	if err != nil {
		return err
	}
	if snap, err := e.store.Snapshot(ctx, e.dir, tree, e.run.Tree); err == nil {
		begun.Discarded = snap
	} else {
		e.log.Warn("what a lost attempt left cannot be kept", "step", s.Address, "err", err)
	}
	lost := &history.AttemptFailed{Class: history.Lost,
		Reasons: []string{fmt.Sprintf("the controller ended during attempt %d", len(s.Attempts))}}
	if err := e.record(ctx, of(s, len(s.Attempts)), lost, begun); err != nil {
		return err
	}
	return e.restored(ctx, s, len(s.Attempts))
}

// compensate undoes what a step did outside of the workspace, as the plan says.
func (e *execution) compensate(ctx context.Context, t *trial) error {
	if t.step.Rollback != plan.Compensatable || t.step.Compensate == "" {
		return nil
	}
	done := &history.Compensated{Run: t.step.Compensate}
	result, err := e.runner(t.step).Run(context.WithoutCancel(ctx), gate.Command{Run: t.step.Compensate})
	done.Exit, done.Output = result.Exit, result.Output
	if err != nil {
		done.Error = err.Error()
	}
	return e.record(ctx, of(t.s, t.number), done)
}

// climb lets the ladder decide what follows a failure.
func (e *execution) climb(ctx context.Context, s *history.Step, f *history.AttemptFailed) error {
	_, step := e.step(s)
	situation := recovery.Situation{Step: step, History: s, Failure: f, Mode: e.run.Mode}
	if last := s.Last(); last != nil && last.Said != nil {
		situation.Stateful = last.Said.Stateful
	}
	next := e.c.ladder().Next(situation)
	if next.Method == "" && !next.Ask {
		switched, err := e.escalateMode(ctx, s)
		if err != nil {
			return err
		}
		if switched {
			situation.Mode = e.run.Mode
			next = e.c.ladder().Next(situation)
		}
	}
	switch {
	case next.Method != "":
		err := e.record(ctx, of(s, len(s.Attempts)), &history.Recovery{Rung: next.Rung, Method: next.Method,
			Why: next.Why, Repeats: s.Rungs(next.Rung) + 1})
		if err != nil {
			return err
		}
		e.notify(e.c.Observer.Recovering, Event{History: s, Next: next.Method, Text: next.Why})
		return nil
	case next.Ask:
		return e.ask(ctx, s, e.failureQuestion(s, f, next.Why))
	}
	halts := step.OnFailure == plan.Block || (s.Critical && e.strategy() == plan.HaltOnCritical)
	if err := e.record(ctx, of(s, 0), &history.StepFailed{Class: f.Class, Reasons: f.Reasons, Halts: halts}); err != nil {
		return err
	}
	e.notify(e.c.Observer.StepDone, Event{History: s, Err: failure(s)})
	return nil
}

// failureQuestion says what a person must know to decide about a failed step.
func (e *execution) failureQuestion(s *history.Step, f *history.AttemptFailed, why string) ask.Question {
	kind := ask.StepFailed
	switch {
	case s.Refusal != nil:
		kind = ask.Precondition
	case f.Class == history.Unrestorable:
		kind = ask.Repository
	case f.Class == history.Lost:
		kind = ask.InFlight
	}
	evidence := append([]string{}, f.Reasons...)
	if last := s.Last(); last != nil && last.Accounted != nil && !last.Accounted.Account.Holds() {
		evidence = append(evidence, last.Accounted.Account.String())
	}
	if s.Refusal == nil {
		evidence = append(evidence, fmt.Sprintf("the tree was restored to the checkpoint before %s", s.Address))
	}
	for _, r := range s.Recoveries {
		evidence = append(evidence, "tried: "+r.Why)
	}
	return e.question(s, kind, "step "+title(s), why, evidence, choiceAgain(s), choiceSkip(s), choiceStop(), choiceGiveUp(s))
}

// openIn opens a file of a folder and never leads outside of it.
func openIn(dir, path string) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Open(filepath.FromSlash(path))
}
