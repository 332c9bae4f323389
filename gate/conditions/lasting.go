package conditions

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/decide"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/plan"
)

// lasting decides at the end what held after steps and must hold still. A step
// that does not decide whether the goal is achieved makes the whole complete in
// part.
func lasting(ctx context.Context, pass *gate.Pass) error {
	var d decide.Several
	artifacts := 0
	for _, l := range pass.Lasting {
		of := *pass
		of.Task, of.Step = l.Task, l.Step
		report := pass.Partially
		if l.Essential {
			report = pass.Report
		}
		artifacts += l.Artifacts
		for _, path := range l.Undone {
			report(gate.Finding{Code: code.Postcondition, About: string(l.Step.Address), Path: path,
				Message: fmt.Sprintf("step %s is declared to modify %q, which at the end is as it was before that, and no later step says so; %s",
					l.Step.Address, path, since(l.Since)),
				Expected: fmt.Sprintf("%q modified", path), Happened: "it is as it was"})
		}
		for _, c := range l.Checks {
			d.One(ctx, &of, c, func(v gate.Verdict) {
				decide.Objections(v, gate.Finding{Code: code.Postcondition, About: string(l.Step.Address),
					Message: fmt.Sprintf("what held after step %s does not hold at the end (%s), and no later step says that it need not; %s",
						l.Step.Address, c.String(), since(l.Since)),
					Expected: c.String()}, report)
			})
		}
	}
	if artifacts > 0 {
		pass.Evidencef("%d declared paths and symbols of steps behind which the tree changed were looked at", artifacts)
	}
	return d.Finish(pass)
}

// since says who changed the tree after a step.
func since(steps []plan.Address) string {
	const most = 12
	switch {
	case len(steps) == 0:
		return "somebody else changed the tree since"
	case len(steps) > most:
		return fmt.Sprintf("%s and %d more changed the tree since", plan.Addresses(steps[:most]), len(steps)-most)
	}
	return plan.Addresses(steps) + " changed the tree since"
}
