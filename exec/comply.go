package exec

import (
	"context"
	"slices"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/compliance"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// comply looks at a task before its first step, and records what it sees. A critical violation makes the
// mode collaborative, and a person is asked before the task begins.
func (e *execution) comply(ctx context.Context, s *history.Step) (asked bool, err error) {
	if !e.c.chosenPreset().Compliance {
		return false, nil
	}
	c := e.run.Complied(s.Task)
	if c == nil {
		c = compliant(compliance.Before(e.plan, e.run, s.Task))
		facts := []history.Fact{c}
		if critical(c) && (e.run.Mode == plan.Silent || e.run.Mode == plan.Dynamic) {
			facts = append(facts, &history.ModeSwitched{From: e.run.Mode, To: plan.Collaborative,
				Cause: "compliance", Measurements: violations(c)})
		}
		if err := e.record(ctx, history.Where{}, facts...); err != nil {
			return false, err
		}
		e.tellSwitches(nil, facts...)
	}
	if !critical(c) || e.compliedWith(c) {
		return false, nil
	}
	return true, e.ask(ctx, s, e.question(s, ask.Compliance, "task "+s.Task,
		"the plan does not keep the articles that it is carried out under", violations(c),
		choiceGo(s), choiceSkip(s), choiceStop(), choiceGiveUp(s)))
}

// compliedWith reports whether a person who was shown the violations has let the task begin all the same.
func (e *execution) compliedWith(c *history.Compliance) bool {
	shown := violations(c)
	return slices.ContainsFunc(e.run.Steps, func(s *history.Step) bool {
		return s.Task == c.Task && slices.ContainsFunc(s.Questions, func(x history.Exchange) bool {
			return x.Question.Kind == ask.Compliance && x.Answer != nil && x.Answer.Choice == goOn && slices.Equal(x.Question.Evidence, shown)
		})
	})
}

func critical(c *history.Compliance) bool {
	return slices.ContainsFunc(c.Violated, func(v history.Violation) bool { return v.Severity == string(compliance.Critical) })
}

// compliant is a check as a fact.
func compliant(c compliance.Check) *history.Compliance {
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

func violations(c *history.Compliance) []string {
	var lines []string
	for _, v := range c.Violated {
		lines = append(lines, "article "+v.Article+": "+v.Why)
	}
	return lines
}
