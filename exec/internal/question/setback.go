package question

import (
	"slices"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// rollbackAfter is how many steps must have failed in a row for a rollback to
// be offered.
const rollbackAfter = 3

// setBackTo is the step before which the last good checkpoint lies, where a
// rollback is to be offered: after three failures in a row the first of the
// failed steps, after a critical validation failed the step that was completed
// last. It is nil where nothing calls for a rollback, or one is not possible. f
// is why the step is about to fail, or nil.
func setBackTo(c *guard.Case, f *history.AttemptFailed) *history.Step {
	var to *history.Step
	row := c.Run.Consecutive
	if f != nil {
		row++
	}
	switch {
	case row >= rollbackAfter:
		to = firstOfRow(c.Run)
	case f != nil && criticallyInvalid(c.Step):
		to = latestCompleted(c.Run)
	}
	if !CanUnwind(c.Run, to) {
		return nil
	}
	return to
}

// firstOfRow is the earliest of the steps that failed since one was completed.
func firstOfRow(run *history.Run) *history.Step {
	since := uint64(0)
	if done := latestCompleted(run); done != nil {
		since = done.EndedAt
	}
	for _, s := range run.NotCompleted() {
		if s.Status == history.Failed && s.EndedAt > since {
			return s
		}
	}
	return nil
}

// latestCompleted is the step that was completed last, or nil.
func latestCompleted(run *history.Run) *history.Step {
	for _, s := range slices.Backward(run.Concluded()) {
		if s.Status == history.Completed {
			return s
		}
	}
	return nil
}

// criticallyInvalid reports whether a gate of level 2 said no to the latest
// attempt, or a reviewer rejected that of a critical step outright.
func criticallyInvalid(s *history.Step) bool {
	judged := s.Gates
	if a := s.Last(); a != nil && s.Refusal == nil {
		judged = a.Gates
	}
	return slices.ContainsFunc(judged, func(j gate.Judgement) bool {
		rejected := j.Phase == gate.Reviewing && j.Verdict != nil && j.Verdict.Result == gate.Fail
		return j.Blocks() && (j.Level == gate.BlocksApproval || rejected && s.Critical)
	})
}

// CanUnwind reports whether a run can be set back to before a step: it has
// begun, nothing irreversible was attempted from there on, and no compensation
// has failed. to may be nil.
func CanUnwind(run *history.Run, to *history.Step) bool {
	if to == nil || to.Checkpoint == nil {
		return false
	}
	steps, _, _ := run.SetBack(to)
	return !slices.ContainsFunc(steps, func(s *history.Step) bool {
		a := s.Last()
		return a != nil && (s.Rollback == plan.Irreversible || a.Compensated != nil && !a.Compensated.Done())
	})
}
