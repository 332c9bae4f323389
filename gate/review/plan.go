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
		if err := Reviewers(reviewers).Validate(); err != nil {
			return err
		}
		reviews := Reviewers(reviewers).Ask(ctx, ofPlan(pass))
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		objections, _ := Decide(reviews)
		for _, objection := range objections {
			pass.Report(gate.Finding{Code: codeRejected, Message: objection})
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
	r := Request{About: AboutPlan, Goal: pass.Plan.Goal, Surfaces: pass.Plan.Promises(),
		Dir: pass.Dir, Runner: pass.Runner}
	for t := range pass.Plan.Tasks {
		task := &pass.Plan.Tasks[t]
		for _, criterion := range task.AcceptanceCriteria {
			r.Acceptance = append(r.Acceptance, fmt.Sprintf("task %s: %s", task.ID, criterion))
		}
		for i := range task.Steps {
			r.AddStep(&task.Steps[i])
		}
	}
	return r
}
