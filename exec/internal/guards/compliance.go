package guards

import (
	"slices"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/exec/internal/compliance"
	"github.com/planlock/planlock/exec/internal/question"
	"github.com/planlock/planlock/plan"
)

// compliant looks at a task before its first step, and records what it sees. A
// critical violation makes the mode collaborative, and a person is asked before
// the task begins.
func compliant(c *guard.Case) guard.Verdict {
	if !c.Run.Policy.Compliance {
		return guard.Pass()
	}
	seen := c.Run.Task(c.Step.Task).Compliance()
	if seen == nil {
		seen = checked(compliance.Before(c.Plan, c.Run, c.Step.Task))
		facts := []history.Fact{seen}
		if critical(seen) && (c.Run.Mode == plan.Silent || c.Run.Mode == plan.Dynamic) {
			facts = append(facts, &history.ModeSwitched{From: c.Run.Mode, To: plan.Collaborative,
				Cause: "compliance", Measurements: violations(seen)})
		}
		return guard.RecordRun(facts...)
	}
	if !critical(seen) || compliedWith(c.Run, seen) {
		return guard.Pass()
	}
	return guard.Hold(question.Compliance(c, violations(seen)))
}

// compliedWith reports whether a person who was shown the violations has let
// the task begin all the same.
func compliedWith(run *history.Run, seen *history.Compliance) bool {
	shown := violations(seen)
	return slices.ContainsFunc(run.Steps, func(s *history.Step) bool {
		return s.Task == seen.Task && slices.ContainsFunc(s.Questions, func(x history.Exchange) bool {
			return x.Question.Kind == ask.Compliance && x.Answer != nil && x.Answer.Choice == choice.GoOn &&
				slices.Equal(x.Question.Evidence, shown)
		})
	})
}

func critical(seen *history.Compliance) bool {
	return slices.ContainsFunc(seen.Violated, func(v history.Violation) bool {
		return v.Severity == string(compliance.Critical)
	})
}

// checked is a look at a task as a fact.
func checked(c compliance.Check) *history.Compliance {
	f := &history.Compliance{Task: c.Task, Critical: c.Balance.Critical, Total: c.Balance.Total}
	for _, a := range c.Checked {
		f.Checked = append(f.Checked, string(a))
	}
	for _, v := range c.Findings {
		f.Violated = append(f.Violated, history.Violation{Article: string(v.Article), Severity: string(v.Severity),
			Step: v.Step, Why: v.Why, Action: v.Action})
	}
	return f
}

// violations are what broke the articles, a line each.
func violations(seen *history.Compliance) []string {
	var lines []string
	for _, v := range seen.Violated {
		lines = append(lines, "article "+v.Article+": "+v.Why)
	}
	return lines
}
