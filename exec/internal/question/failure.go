package question

import (
	"fmt"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/plan"
)

// Failure says what a person must know to decide about a failed step, and
// offers what can be done about it.
func Failure(c *guard.Case, f *history.AttemptFailed, why string) ask.Question {
	s := c.Step
	kind := failureKind(s, f)
	detailed := s.ChosenLast(choice.Details)
	q := about(c, kind, fmt.Sprintf("step %s %s", title(s), headline(f.Class)), why, stuckReport(c, f, detailed))
	repeat := choiceAgain(c)
	if kind == ask.Deviation {
		repeat.Label = "leave it undone, and " + runAgain(c)
	}
	if grant, words := acceptable(c, f); grant != nil {
		q.Choices = append(q.Choices, choiceAccept(s, grant, words))
		_, step := c.Place()
		q.Choices = append(q.Choices, choiceRevert(f, s.Last(), s.Granted(step).Limits)...)
	}
	q.Choices = append(q.Choices, repeat)
	if s.Rollback == plan.Irreversible && (f.Class == history.Lost || f.Class == history.Interrupted) {
		q.Choices = append(q.Choices, choice.ToHaveHappened(s))
	}
	if s.Refusal == nil && s.Rollback != plan.Irreversible && kind != ask.Compensation && c.Hears() {
		q.Choices = append(q.Choices, choice.ToPropose(s))
	}
	if !detailed && s.Refusal == nil {
		q.Choices = append(q.Choices, choice.ToSeeDetails())
	}
	if to := setBackTo(c, f); to != nil {
		q.Target = to.Address
		q.Choices = append(q.Choices, choice.ToGoBack(to))
	}
	q.Choices = append(q.Choices, choice.ToBlock(s, without(c)), choice.ToSkip(s, c.Run.Policy.Lenient),
		choice.ToStop(), choice.ToGiveUp(s))
	return q
}

// failureKind says what a question about a failure is about.
func failureKind(s *history.Step, f *history.AttemptFailed) ask.Kind {
	if a := s.Last(); a != nil && a.Compensated != nil && !a.Compensated.Done() {
		return ask.Compensation
	}
	switch {
	case s.Refusal != nil:
		return ask.Precondition
	case f.Class == history.Unrestorable:
		return ask.Repository
	case f.Class == history.Lost:
		return ask.InFlight
	case f.Class == history.Breach:
		return ask.Deviation
	}
	return ask.StepFailed
}

// headline says what became of a step, in a few words.
func headline(c history.Class) string {
	switch c {
	case history.Refused:
		return "may not begin"
	case history.Breach:
		return "did something else than it declared"
	case history.TimedOut:
		return "did not end in time"
	case history.GateFailed:
		return "was not accepted by its gates"
	case history.Undecided:
		return "could not be judged"
	case history.Lost:
		return "was cut off when the controller ended"
	case history.Met:
		return "does not go together with what another step did at the same time"
	case history.Moved:
		return "moved what the run depends on"
	case history.Unrestorable:
		return "changed what planlock never restores"
	case history.NoSpace:
		return "filled the disk"
	case history.Nondeterministic:
		return "made something else of the same inputs"
	case history.OutOfMemory:
		return "needed more memory than there is"
	case history.Exhausted:
		return "used up what its sandbox allows"
	case history.SchemaMismatch:
		return "did not say what it was expected to say"
	case history.MissingEvidence:
		return "left no evidence of its work"
	case history.Declined:
		return "is none that its executor does"
	case history.ContextExhausted:
		return "was too much for the executor's context"
	}
	return "failed"
}
