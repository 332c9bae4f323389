package question

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/plan"
)

// Confirmation asks whether a critical step is carried out, and how, before it
// begins, in a run that is collaborative from its beginning. It is false where
// nothing is to be asked, or where that was answered. A run that became
// collaborative because of what was measured asks about failures alone.
func Confirmation(c *guard.Case) (ask.Question, bool) {
	s := c.Step
	task, step := c.Place()
	whole := c.Run.Policy.Mode == plan.Collaborative && c.Run.Mode == plan.Collaborative
	itself := step.Mode == plan.Collaborative && c.Mode() == plan.Collaborative
	if !whole && !itself || !s.Critical || len(s.Attempts) > 0 || checkpoints(task) {
		return ask.Question{}, false
	}
	if last := lastOf(s, ask.Confirmation); last != nil && (last.Answer == nil || last.Answer.Choice != choice.Stop) {
		return ask.Question{}, false
	}
	t := teaching(c, course{depth: depthModerate, rationale: true, alternatives: true})
	q := about(c, ask.Confirmation, "before critical step "+title(s),
		"collaborative mode asks before each critical step", feasible(c, step),
		ask.Choice{Key: yes, Also: []string{"yes"},
			Label:       fmt.Sprintf("carry it out as recommended (%s)", t.Recommended),
			Consequence: fmt.Sprintf("%s runs", s.Address)})
	if len(t.Approaches) > 1 {
		q.Choices = append(q.Choices, approachChoices(s, t)...)
	}
	q.Choices = append(q.Choices, choice.ToSkip(s, c.Run.Policy.Lenient), choice.ToStop(), choice.ToGiveUp(s))
	q.Default, q.Teaching = yes, t
	return q, true
}

// checkpoints reports whether the steps of a task ask a person anyway.
func checkpoints(task *plan.Task) bool {
	kind, _, _ := strings.Cut(task.Kind, ":")
	return kind == "checkpoint"
}

// feasible is what is known about whether the step can be carried out, a line
// each: what it needs, what is to hold after it, what became of the steps that
// it needs, and what advisors found out.
func feasible(c *guard.Case, step *plan.Step) []string {
	var lines []string
	for _, check := range step.Preconditions {
		lines = append(lines, "must hold before it begins: "+checkText(check))
	}
	for _, other := range c.Run.NotCompleted() {
		if other.Precedes(c.Step) && needs(c, c.Step, other) {
			lines = append(lines, fmt.Sprintf("it needs %s, which is %s", title(other), other.Status))
		}
	}
	if c.Plan.Provable()(step) {
		lines = append(lines, "checks of the plan can tell its work from its absence")
	} else {
		lines = append(lines, "no check of the plan can tell its work from its absence")
	}
	for _, of := range []struct {
		task string
		kind advice.Kind
	}{{"", advice.Feasible}, {c.Step.Task, advice.Research}} {
		if a := c.Advised(of.task, of.kind); a != nil && a.Error == "" {
			lines = append(lines, a.Findings...)
		}
	}
	return bound.First(lines, 20)
}
