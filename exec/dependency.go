package exec

import (
	"context"
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// block is the choice that leaves a step blocked.
const block = "w"

// askAboutDependency asks, in the modes in which a person is there for every failure, what is to become of a step
// that needs one that is missing. Elsewhere it is blocked, and what does not need it goes on.
func (e *execution) askAboutDependency(ctx context.Context, s, by *history.Step) (asked bool, err error) {
	if e.run.Mode != plan.Collaborative && e.run.Mode != plan.Education || e.stageSettled(by) {
		return false, nil
	}
	evidence := []string{fmt.Sprintf("%s is %s", title(by), by.Status)}
	if by.Failed != nil {
		evidence = append(evidence, firstOf(by.Failed.Reasons, 5)...)
	}
	for _, other := range e.dependents(by) {
		evidence = append(evidence, fmt.Sprintf("%s needs it too", title(other)))
	}
	run := choiceGo(s)
	run.Label = fmt.Sprintf("take %s as good enough, and run %s", by.Address, s.Address)
	run.Acknowledge = fmt.Sprintf("run %s without %s", s.Address, by.Address)
	return true, e.ask(ctx, s, e.question(s, ask.Dependency, fmt.Sprintf("step %s is blocked by %s", title(s), by.Address),
		"it needs what is missing; what does not need it goes on", evidence,
		ask.Choice{Key: block, Label: fmt.Sprintf("leave %s blocked, and go on with the rest", s.Address), Consequence: "it can run when what it needs is mended"},
		run, choiceStop(), choiceGiveUp(s)))
}

// dependents are the other steps that wait for one, in order.
func (e *execution) dependents(by *history.Step) []*history.Step {
	var list []*history.Step
	for _, s := range e.run.Steps {
		if s.Status == history.Pending && e.needs(s, by) {
			list = append(list, s)
		}
	}
	return list
}

// needs reports whether a step needs an earlier one: before it in its task, or in a task or speclet that its own depends on.
func (e *execution) needs(s, other *history.Step) bool {
	if other.Task == s.Task {
		return slices.Index(e.run.Steps, other) < slices.Index(e.run.Steps, s)
	}
	return e.depends.on(s.Task, other.Task)
}

// blockedBy says that a step cannot run, and what would let it.
func (e *execution) blockedBy(s, by *history.Step) *history.StepBlocked {
	return &history.StepBlocked{By: by.Address,
		Why: fmt.Sprintf("it needs %s, which is %s; run it again once that is mended", by.Address, by.Status),
		Unblock: []string{
			fmt.Sprintf("mend what made %s fail, roll the run back to before it, and resume", by.Address),
			fmt.Sprintf("lock and run a plan in which %s does not need %s", s.Address, by.Address),
			fmt.Sprintf("in collaborative mode, say that %s is good enough as it is", by.Address),
		}}
}

// chosen reports whether a question of a kind about the step was answered with a choice.
func chosen(s *history.Step, kind ask.Kind, key string) bool {
	return slices.ContainsFunc(s.Questions, func(x history.Exchange) bool {
		return x.Question.Kind == kind && x.Answer != nil && x.Answer.Choice == key
	})
}
