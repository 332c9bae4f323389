package exec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/ledger"
)

// undo records why an attempt failed and restores the checkpoint. What is undone
// is kept, so that nothing anybody did is lost.
func (e *execution) undo(ctx context.Context, t *trial, f *fault) error {
	begun := &history.RestoreBegun{To: e.run.Tree, Discarded: t.snap}
	facts := append(t.facts(), f.bounded(), begun)
	if err := e.record(ctx, of(t.s, t.number), facts...); err != nil {
		// The journal is dead. The tree is restored all the same; the next
		// controller finds the attempt unfinished and restores it once more.
		_, again := e.restoreTree(ctx, e.dir, begun.To)
		return errors.Join(err, again)
	}
	e.notify(e.c.Observer.AttemptFailed, Event{History: t.s, Attempt: t.number,
		Err: &StepError{Step: t.s.Address, Class: f.Class, Reasons: f.Reasons}})
	if err := e.restored(ctx, t.s, t.number); err != nil {
		return err
	}
	if f.Class != history.Moved {
		return nil
	}
	refused, err := e.bindings(ctx)
	if err != nil || refused == nil {
		return err // what moved was the step's own doing, and is undone
	}
	return e.letGo(ctx, refused)
}

// lose gives up an attempt of which nobody knows how it ended, because the
// controller died. What it left is kept and undone.
func (e *execution) lose(ctx context.Context, s *history.Step) error {
	begun := &history.RestoreBegun{To: s.Checkpoint.Checkpoint} // what is there is kept before it is touched
	lost := &history.AttemptFailed{Class: history.Lost,
		Reasons: []string{fmt.Sprintf("the controller ended during attempt %d", s.Tried())}}
	if err := e.record(ctx, of(s, s.Tried()), lost, begun); err != nil {
		return err
	}
	return e.restored(ctx, s, s.Tried())
}

// leftBehind reports whether the latest attempt changed something that restoring
// the tree does not undo: its executor said so, or the plan tracks it only.
func (e *execution) leftBehind(s *history.Step) bool {
	last := s.Last()
	if last == nil {
		return false
	}
	if last.Said != nil && last.Said.Stateful {
		return true
	}
	return last.Accounted != nil && slices.ContainsFunc(last.Accounted.Changes, func(c ledger.Change) bool {
		return slices.ContainsFunc(e.plan.Scope.Track, func(glob string) bool { return ledger.Match(glob, c.Path) })
	})
}

// notTried says why rungs of the ladder had nothing to do.
func notTried(passed []history.Passed) []string {
	var lines []string
	for _, p := range passed {
		lines = append(lines, fmt.Sprintf("not tried: %s: %s", p.Rung, p.Why))
	}
	return lines
}

// climb lets the ladder decide what follows a failure.
func (e *execution) climb(ctx context.Context, s *history.Step, f *history.AttemptFailed) error {
	_, step := e.step(s)
	if a := s.Last(); a != nil && a.Compensated != nil && !a.Compensated.Done() {
		return e.ask(ctx, s, e.failureQuestion(s, f, "its compensation failed, so what it did outside the workspace may still be there"))
	}
	situation := recovery.Situation{Step: step, History: s, Failure: f, Mode: e.run.Mode, Run: e.run, Stateful: e.leftBehind(s)}
	next := e.c.ladder().Next(situation)
	if next.Advise != "" {
		return e.advise(ctx, s, f, next) // and then the ladder is climbed again
	}
	if next.Method == "" && !next.Ask && !blocks(step) {
		if asked, err := e.escalateMode(ctx, s, f); asked || err != nil {
			return err
		}
	}
	switch {
	case next.Method != "":
		err := e.record(ctx, of(s, s.Tried()), &history.Recovery{Rung: next.Rung, Method: next.Method,
			Why: next.Why, Repeats: s.Rungs(next.Rung) + 1, After: next.After, Passed: next.Passed})
		if err != nil {
			return err
		}
		e.notify(e.c.Observer.Recovering, Event{History: s, Next: next.Method, Text: next.Why})
		return nil
	case next.Ask:
		q := e.failureQuestion(s, f, next.Why)
		q.Evidence = append(q.Evidence, notTried(next.Passed)...)
		return e.askAboutFailure(ctx, s, q)
	}
	failed := &history.StepFailed{Class: f.Class, Reasons: f.Reasons, Halts: e.halts(s, step), Passed: next.Passed}
	if err := e.record(ctx, of(s, 0), failed); err != nil {
		return err
	}
	e.notify(e.c.Observer.StepDone, Event{History: s, Err: failure(s)})
	return nil
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
