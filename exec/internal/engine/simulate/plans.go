package simulate

import (
	"fmt"
	"math/rand/v2"

	"github.com/planlock/planlock/plan"
)

// A dice is a source of choices.
type dice struct{ *rand.Rand }

// in reports true once in n times.
func (d dice) in(n int) bool { return d.IntN(n) == 0 }

// pick picks one of a list.
func pick[T any](d dice, list ...T) T { return list[d.IntN(len(list))] }

// randomPlan is a plan of one to five tasks with one or two steps each, in
// which everything that decisions look at occurs.
func randomPlan(d dice) *plan.Plan {
	p := &plan.Plan{Schema: 1, Goal: "simulate", Profile: plan.Observe}
	p.ErrorPropagation.Strategy = pick(d, "", plan.HaltOnCritical, plan.ContinueAndLog, plan.CollaborativeReview)
	for t := range 1 + d.IntN(3) {
		p.Tasks = append(p.Tasks, randomTask(d, t))
	}
	if !d.in(3) {
		speclets(d, p)
	} else if !d.in(5) {
		waves(d, p)
	}
	set := func(key, kind, text string) {
		p.Settings = append(p.Settings, plan.Setting{Key: key, Value: plan.Value{Kind: kind, Text: text}})
	}
	if d.in(4) {
		set("education.learning_pace", "string", pick(d, "slow", "fast"))
	}
	if d.in(6) {
		set("meta.pattern_name", "string", "three-tier")
	}
	return p
}

// randomTask is a task of one or two steps that may depend on any task before
// it, so that plans have no cycle.
func randomTask(d dice, t int) plan.Task {
	task := plan.Task{ID: fmt.Sprint(t + 1), Description: "task", Title: "task", ResearchEnabled: d.in(5),
		Complexity: d.IntN(6)}
	if d.in(8) {
		task.Kind = pick(d, "checkpoint:human-verify", "checkpoint:decision", "checkpoint")
	}
	for before := range t {
		if d.in(3) {
			task.DependsOn = append(task.DependsOn, fmt.Sprint(before+1))
		}
	}
	for s := range 1 + d.IntN(2) {
		task.Steps = append(task.Steps, randomStep(d, task.ID, s+1))
	}
	return task
}

// randomStep is a step with flags, methods and limits by chance.
func randomStep(d dice, task string, n int) plan.Step {
	s := plan.Step{ID: fmt.Sprint(n), Address: plan.Address(fmt.Sprintf("%s.%d", task, n)), Description: "step",
		OnFailure: pick(d, "", plan.Block, plan.Retry, plan.Retry, plan.Ask), Executor: pick(d, "", "shell", "agent"),
		Rollback: pick(d, "", plan.Reversible, plan.Reversible, plan.Compensatable, plan.Irreversible)}
	if d.in(2) {
		s.Run = "true"
	} else {
		s.Prompt = "do it"
	}
	if s.Rollback == plan.Compensatable {
		s.Compensate = "true"
	}
	if d.in(2) {
		critical := d.in(2)
		s.Critical = &critical
	}
	if d.in(3) {
		times := d.IntN(3)
		s.MaxRetries = &times
	}
	for b := range d.IntN(3) {
		s.Backups = append(s.Backups, plan.Backup{ID: fmt.Sprint(b + 1), Description: "backup", Run: "true"})
	}
	if d.in(6) {
		s.SemanticChange = pick(d, plan.Modifying, plan.Breaking)
	}
	return s
}

// speclets puts the tasks of a plan into two speclets, of which the second
// needs the first.
func speclets(d dice, p *plan.Plan) {
	cut := d.IntN(max(len(p.Tasks)-1, 1)) + 1
	first, second := plan.Speclet{ID: "a"}, plan.Speclet{ID: "b", DependsOn: []string{"a"}}
	for i, t := range p.Tasks {
		if i < cut {
			first.Tasks = append(first.Tasks, t.ID)
		} else {
			second.Tasks = append(second.Tasks, t.ID)
		}
	}
	p.Speclets = []plan.Speclet{first}
	if len(second.Tasks) > 0 {
		p.Speclets = append(p.Speclets, second)
	}
}
