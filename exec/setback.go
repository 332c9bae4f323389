package exec

import (
	"context"
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// rollbackAfter is how many steps must have failed in a row for a rollback to be offered.
const rollbackAfter = 3

// setBackTo is the step before which the last good checkpoint lies, where a rollback is to be offered: after three failures in a
// row the first of the failed steps, after a gate of level 2 said no the step that was completed last. It is nil where nothing calls for
// a rollback, or one is not possible. f is why s is about to fail, or nil.
func (e *execution) setBackTo(s *history.Step, f *history.AttemptFailed) *history.Step {
	var to *history.Step
	row := e.run.Consecutive
	if f != nil {
		row++
	}
	switch {
	case row >= rollbackAfter:
		to = e.firstOfRow()
	case f != nil && criticalGate(s):
		to = e.latestCompleted()
	}
	if to == nil || to.Checkpoint == nil || !e.canUnwind(to) {
		return nil
	}
	return to
}

// firstOfRow is the earliest of the steps that failed since one was completed.
func (e *execution) firstOfRow() *history.Step {
	since := uint64(0)
	if done := e.latestCompleted(); done != nil {
		since = done.EndedAt
	}
	for _, s := range e.run.NotCompleted() {
		if s.Status == history.Failed && s.EndedAt > since {
			return s
		}
	}
	return nil
}

// latestCompleted is the step that was completed last, or nil.
func (e *execution) latestCompleted() *history.Step {
	for _, s := range slices.Backward(e.run.Concluded()) {
		if s.Status == history.Completed {
			return s
		}
	}
	return nil
}

// criticalGate reports whether a gate of level 2 said no to the latest attempt.
func criticalGate(s *history.Step) bool {
	judged := s.Gates
	if a := s.Last(); a != nil && s.Refusal == nil {
		judged = a.Gates
	}
	return slices.ContainsFunc(judged, func(j gate.Judgement) bool { return j.Level == gate.BlocksApproval && j.Blocks() })
}

// canUnwind reports whether the run can be set back to before a step: nothing irreversible was attempted from there on, and no
// compensation has failed.
func (e *execution) canUnwind(to *history.Step) bool {
	from := slices.Index(e.run.Steps, to)
	return from >= 0 && !slices.ContainsFunc(e.run.Steps[from:], func(s *history.Step) bool {
		a := s.Last()
		return a != nil && (s.Rollback == plan.Irreversible || a.Compensated != nil && !a.Compensated.Done())
	})
}

// setBackWanted is the step that a person wants the run set back to before, and who that is; nil if nobody does.
func (e *execution) setBackWanted(s *history.Step) (*history.Step, string) {
	if !chosenLast(s, back) {
		return nil, ""
	}
	last := s.Questions[len(s.Questions)-1]
	return e.run.Step(last.Question.Target), last.Answer.By
}

// setBack carries a rollback out within the run, which goes on from there.
func (e *execution) setBack(ctx context.Context, to *history.Step, by string) error {
	tree, err := e.tolerant().Scan(ctx, e.dir, nil)
	if err != nil {
		return err
	}
	kept, err := e.store.Snapshot(ctx, e.dir, tree, e.run.Tree)
	if err != nil {
		return err
	}
	if err := e.unwind(ctx, to); err != nil {
		return e.pause(ctx, "rolling back failed", fmt.Errorf("exec: the run cannot be set back to before %s: %w", to.Address, err))
	}
	target := to.Checkpoint.Checkpoint
	// The position moves first: if the restore is cut off, resuming finishes it.
	err = e.record(ctx, of(to, 0), &history.RolledBack{To: to.Address, Snapshot: target, By: by},
		&history.RestoreBegun{To: target, Discarded: kept})
	if err != nil {
		return err
	}
	return e.restoredRun(ctx)
}
