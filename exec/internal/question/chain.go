package question

import (
	"cmp"
	"fmt"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/plan"
)

// Chain asks what follows on a phase of which a part was completed, and the rest
// failed or was blocked: prove what there is, try what failed once more, see
// everything about it, or halt. It asks of a phase plan, once nothing is left that
// can run, and not where somebody gave the run up; not ok where there is nothing
// to ask.
func Chain(c *guard.Case) (q ask.Question, ok bool) {
	run := c.Run
	stuck := firstStuck(run)
	if run.Started.Format != plan.PhasePlan || !run.Roles.Escalator || run.Mode == plan.Silent || stuck == nil ||
		run.Count(history.Completed) == 0 {
		return q, false
	}
	rounds, last := chained(stuck)
	if last != nil && (last.Answer == nil || last.Answer.Choice == choice.Verify) {
		return q, false
	}
	detailed := last != nil && last.Answer.Choice == choice.Details
	q = about(c.About(stuck), ask.Chain, cmp.Or(run.Started.Goal, run.Started.Name)+" is complete in part",
		fmt.Sprintf("%d of %d steps completed, %d failed, %d blocked", run.Count(history.Completed), len(run.Steps),
			run.Count(history.Failed), run.Count(history.Blocked)), missing(c, detailed),
		ask.Choice{Key: choice.Verify, Also: []string{"verify"}, Label: "verify what there is",
			Consequence: "the final gates judge it, and the end is PARTIAL at best"})
	q.Target = stuck.Address
	if rounds < reworks {
		q.Choices = append(q.Choices, ask.Choice{Key: choice.Continue, Also: []string{"continue"},
			Label:       fmt.Sprintf("continue: try what failed or was blocked once more, from %s on", stuck.Address),
			Consequence: "their ladders begin anew, what is completed stays, and your words are feedback"})
	}
	if !detailed {
		q.Choices = append(q.Choices, ask.Choice{Key: choice.Details, Also: []string{"debug"},
			Label:       "debug: show everything that was tried",
			Consequence: "the question is asked again, with all that is known"})
	}
	q.Choices = append(q.Choices, ask.Choice{Key: choice.Halt, Also: []string{"halt", choice.Stop}, Label: "halt",
		Consequence: "the run waits as it is, and asks again when it goes on"})
	return q, true
}

// firstStuck is the first step that failed, or that nobody let begin; nil where
// there is none, or where a failure ends the run.
func firstStuck(run *history.Run) (first *history.Step) {
	for _, s := range run.Steps {
		switch {
		case s.Failed != nil && s.Failed.Halts:
			return nil
		case first == nil && (s.Failed != nil || s.Blocked != nil && s.Blocked.By == s.Address):
			first = s
		}
	}
	return first
}

// chained is how often what failed was tried once more because of such a
// question, and the latest one since.
func chained(stuck *history.Step) (rounds int, last *history.Exchange) {
	for _, x := range stuck.Earlier {
		if x.Question.Kind == ask.Chain {
			rounds++
		}
	}
	for i := range stuck.Questions {
		if x := &stuck.Questions[i]; x.Question.Kind == ask.Chain {
			last = x
		}
	}
	return rounds, last
}

// missing says of each step that was not completed why it was not; detailed:
// with all that was tried.
func missing(c *guard.Case, detailed bool) (lines []string) {
	for _, s := range c.Run.Steps {
		switch {
		case s.Failed != nil:
			lines = append(lines, fmt.Sprintf("%s failed", title(s)))
			if a := s.Last(); detailed && a != nil && a.Failure != nil {
				lines = append(lines, stuckReport(c.About(s), a.Failure, true)...)
			} else {
				lines = append(lines, bound.First(s.Failed.Reasons, 5)...)
			}
		case s.Blocked != nil:
			lines = append(lines, fmt.Sprintf("%s is blocked: %s", title(s), s.Blocked.Why))
		}
	}
	return lines
}
