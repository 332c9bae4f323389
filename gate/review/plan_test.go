package review_test

import (
	"context"
	"strings"
	"testing"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/gatetest"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
)

// TestPlan: reviewers see all steps of a plan, and each has a veto.
func TestPlan(t *testing.T) {
	pass := gatetest.Pass(t, nil, nil)
	pass.Phase, pass.Task, pass.Step = gate.Planning, nil, nil
	pass.Plan = &plan.Plan{Goal: "Limit clients",
		Tasks: []plan.Task{{ID: "1", AcceptanceCriteria: []string{"it counts"},
			Steps: []plan.Step{{Address: "1.1", Description: "Count", Prompt: "count"}}}}}
	says := func(name, verdict string) review.Reviewer {
		return review.Func{Label: name, Ask: func(_ context.Context, r review.Request) (review.Review, error) {
			if r.About != review.AboutPlan || len(r.Steps) != 1 || !strings.Contains(r.Prompt(),
				"1.1 Count\n- count\n") {
				t.Errorf("asked about %s:\n%s", r.About, r.Prompt())
			}
			return review.Review{Verdict: verdict, Warnings: []string{"long"}}, nil
		}}
	}
	for want, reviewers := range map[gate.Result][]review.Reviewer{
		gate.Passed: {says("ops", "APPROVE"), says("quality", "APPROVE")},
		gate.Fail:   {says("ops", "APPROVE"), says("quality", "CONDITIONAL")},
	} {
		own := pass.Fresh()
		if err := review.Plan(reviewers...).Judge(t.Context(), own); err != nil || own.Verdict().Result != want {
			t.Errorf("%v, %+v, want %s", err, own.Verdict(), want)
		}
	}
	if err := review.Plan(nil).Judge(t.Context(), pass.Fresh()); err == nil {
		t.Error("a nil reviewer decided something")
	}
	gatetest.Run(t, review.Plan(review.Func{Label: "ops",
		Ask: func(ctx context.Context, r review.Request) (review.Review, error) {
			return review.Review{Verdict: "APPROVE"}, ctx.Err()
		}}))
}
