package review

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/gate"
)

// Plan makes a gate of level 2 that asks reviewers about the whole plan before
// it is locked. Each objection is a finding; what they approve, and what they
// warn of, is evidence.
func Plan(reviewers ...Reviewer) gate.Gate {
	return gate.New(gate.Info{
		Name:    "plan-review",
		Doc:     "Every reviewer approves the plan, and none raises a critical flag about it.",
		Version: "1", Level: gate.BlocksApproval, Phases: []gate.Phase{gate.Planning},
	}, func(ctx context.Context, pass *gate.Pass) error {
		if err := Validate(reviewers); err != nil {
			return err
		}
		reviews := Ask(ctx, reviewers, ofPlan(pass))
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for _, reason := range Decide(reviews).Reasons {
			pass.Report(gate.Finding{Code: codeRejected, Message: reason})
		}
		for _, r := range reviews {
			pass.Evidencef("%s says %s", r.Reviewer, r.Verdict)
			for _, warning := range r.Warnings {
				pass.Evidencef("%s warns: %s", r.Reviewer, warning)
			}
		}
		return nil
	})
}

// ofPlan is what reviewers are asked about a plan: all of its steps, in order,
// and the criteria of all of its tasks.
func ofPlan(pass *gate.Pass) Request {
	r := Request{About: AboutPlan, Goal: pass.Plan.Goal, Dir: pass.Dir, Runner: pass.Runner}
	for t := range pass.Plan.Tasks {
		task := &pass.Plan.Tasks[t]
		for _, criterion := range task.AcceptanceCriteria {
			r.Acceptance = append(r.Acceptance, fmt.Sprintf("task %s: %s", task.ID, criterion))
		}
		for i := range task.Steps {
			r.Steps = append(r.Steps, StepOf(&task.Steps[i]))
		}
	}
	return r
}
