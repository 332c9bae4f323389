package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/exec/internal/guards"
	"github.com/planlock/planlock/exec/internal/question"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// firstMethod is the method that the step begins with: the one that a person
// chose before it began, else its own.
func firstMethod(c *guard.Case) string { return question.FirstMethod(c.Step) }

// goesOn reports whether the next thing to do for the step is an attempt.
func goesOn(c *guard.Case) bool {
	s, last := c.Step, c.Step.Last()
	return s.Next != nil || last == nil || cutOff(c.Run, s, last) && s.Rollback != plan.Irreversible || onceMore(c)
}

// maxExhaustions is how often an executor may run out of context before that is
// a failure like any other.
const maxExhaustions = 3

// cutOff reports whether an attempt failed for no fault of its own: it was
// interrupted or lost, or something moved that is in its place again, since the
// run was taken up.
func cutOff(run *history.Run, s *history.Step, a *history.Attempt) bool {
	switch a.Failure.Class {
	case history.Interrupted, history.Lost, history.Met, history.OverBudget, history.NotServed:
		return true
	case history.ContextExhausted:
		n := 0
		for _, tried := range s.Attempts {
			if tried.Failure != nil && tried.Failure.Class == history.ContextExhausted {
				n++
			}
		}
		return n <= maxExhaustions
	case history.Moved:
		return run.Resumptions > a.Resumptions
	}
	return false
}

// unserved reports whether the next thing to do for a step is to make an attempt
// again whose executor was not served.
func unserved(s *history.Step) bool {
	last := s.Last()
	return last != nil && last.Failure != nil && last.Failure.Class == history.NotServed && s.Next == nil &&
		s.Rollback != plan.Irreversible
}

// tryAgain does what the ladder, or a person, decided.
func tryAgain(c *guard.Case) []Wanted {
	s := c.Step
	if s.Next.After > 0 && !c.Seen.Holds(guard.Due) {
		return about(c, Wait{Since: s.Next.At, For: s.Next.After})
	}
	if v := guards.Bound(c); !v.Passes() {
		return about(c, Look{What: v.Look})
	}
	if s.Refusal != nil || outlived(c) {
		return about(c, Begin{Start: anew(c)}) // see whether it may begin now
	}
	return about(c, Attempt{Method: s.Next.Method})
}

// outlived reports whether an attempt was made since it was decided what must
// hold before the step, and restoring the tree need not have brought that back.
// Where work is put back that a person accepts, it is not asked for again.
func outlived(c *guard.Case) bool {
	s, last := c.Step, c.Step.Last()
	if last == nil || last.At < s.At || s.Next.Rung == recovery.AcceptRung || s.Next.Rung == recovery.RevertRung {
		return false
	}
	_, step := c.Place()
	beyond := func(check plan.Check) bool { return !check.OfTree() }
	return slices.ContainsFunc(step.Preconditions, beyond) ||
		slices.ContainsFunc(c.Plan.Invariants, func(i plan.Invariant) bool {
			return i.Critical && i.Check != nil && beyond(*i.Check)
		})
}

// lose gives up an attempt of which nobody knows how it ended, because the
// controller died. What it left is kept before it is touched, and undone.
func lose(c *guard.Case) []Wanted {
	class, why := history.Lost, fmt.Sprintf("the controller ended during attempt %d", c.Step.Tried())
	if slices.Contains(c.Seen.Back, c.Step.Address) {
		class = history.Interrupted
		why = fmt.Sprintf("the run was stopped before attempt %d was joined", c.Step.Tried())
	}
	return noted(c, &history.AttemptFailed{Class: class, Reasons: []string{why}},
		&history.RestoreBegun{To: c.Run.Tree})
}

// overtaken reports whether another step was completed since the step began.
func overtaken(c *guard.Case) bool {
	over := c.Run.Concluded()
	return len(over) > 0 && over[len(over)-1].EndedAt > c.Step.At
}

// anew is the checkpoint with which a step begins once more: what was decided
// about it, and the tree that the run has now.
func anew(c *guard.Case) *history.StepStarted {
	start := *c.Step.Checkpoint
	start.Checkpoint = c.Run.Tree
	return &start
}

// setBackWanted is the step that a person wants the run set back to before, who
// that is, and why; nil if nobody does, or it was done: a step that began beside
// that one, and before it, keeps the answer.
func setBackWanted(c *guard.Case) (to *history.Step, by, why string) {
	if !c.Step.ChosenLast(choice.Back) && !c.Step.ChosenLast(choice.Issues) {
		return nil, "", ""
	}
	last := c.Step.Questions[len(c.Step.Questions)-1]
	q := last.Question
	if n := len(c.Run.RolledBack); last.AnsweredAt < c.Run.SetBackAt && c.Run.RolledBack[n-1].To == q.Target {
		return nil, "", ""
	}
	return c.Run.Step(q.Target), last.Answer.By, answered(q, *last.Answer)
}

// answered is an answer as a reason: what the person says, else why a request
// was put to them.
func answered(q ask.Question, a ask.Answer) string {
	why := a.Reason
	if why == "" && q.Kind == ask.Rollback {
		why = q.Why
	}
	return strings.TrimSuffix("answer to "+q.ID+": "+why, ": ")
}
