// Package conditions has the preconditions and postconditions of a step
// decided. [Before] is asked before a step, [After] after an attempt and at the
// end; both block the step (level 1).
package conditions

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/decide"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/internal/code"
)

// After is the gate that decides what must hold after a step.
func After() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "postconditions",
		Doc:     "Every postcondition of the step must hold; a step is not complete before. At the end those of completed steps must hold still, as far as the tree changed since and no later step says otherwise of what they look at; and so must what these steps declare: a created path is there, a deleted one is not, a modified one is not as it was before, symbols are there or gone, unless a later step declares otherwise (what a glob creates or deletes is not looked at).",
		Version: "3", Level: gate.BlocksStep, Phases: []gate.Phase{gate.After, gate.Final}, Stateless: true,
	}, quickAfter, func(ctx context.Context, pass *gate.Pass) error {
		if pass.Phase == gate.Final {
			return lasting(ctx, pass)
		}
		return decide.All(ctx, pass, code.Postcondition, "postcondition", pass.Step.Postconditions)
	})
}

// Before is the gate that decides what must hold before a step, and what the
// plan takes for granted before anything is done.
func Before() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "preconditions",
		Doc:     "Every precondition of the step must hold before it begins, and before it is tried again where one may look at more than the tree; and before the first step every assumption of the plan that has a check.",
		Version: "1", Level: gate.BlocksStep, Phases: []gate.Phase{gate.Before}, Stateless: true,
	}, quickBefore, func(ctx context.Context, pass *gate.Pass) error {
		var d decide.Several
		assumptions(ctx, pass, &d)
		d.Each(ctx, pass, code.Precondition, "precondition", pass.Step.Preconditions)
		return d.Finish(pass)
	})
}

// assumptions decides what the plan takes for granted, as long as nothing has
// been done. A step may make it false afterwards.
func assumptions(ctx context.Context, pass *gate.Pass, d *decide.Several) {
	if pass.Plan == nil || !decide.Untouched(pass) {
		return
	}
	for _, a := range pass.Plan.Assumptions {
		if a.Check == nil {
			continue
		}
		d.One(ctx, pass, *a.Check, func(v gate.Verdict) {
			decide.Objections(v, gate.Finding{Code: code.Precondition, About: a.ID,
				Message:  fmt.Sprintf("assumption %q (%s) does not hold", a.ID, a.Text),
				Expected: a.Check.String()}, pass.Report)
		})
	}
}
