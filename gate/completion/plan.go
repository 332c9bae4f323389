package completion

import (
	"context"
	"errors"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/plan"
)

// Plan is the gate that states the plan's own check again, for the approval.
func Plan() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "completeness",
		Doc:     "The plan's own check must find no errors; its warnings are evidence.",
		Version: "1", Level: gate.BlocksApproval, Phases: []gate.Phase{gate.Planning}, Stateless: true,
	}, nil, func(_ context.Context, pass *gate.Pass) error {
		if pass.Draft == nil {
			return errors.New("completeness: the pass has no draft")
		}
		for _, d := range pass.Draft.Check(pass.Options) {
			if d.Severity != plan.Error {
				pass.Evidencef("%s:%d:%d: %s: %s: %s", d.Pos.File, d.Pos.Line, d.Pos.Column, d.Severity, d.Code,
					d.Message)
				continue
			}
			message := d.Code + ": " + d.Message
			if d.Hint != "" {
				message += "; " + d.Hint
			}
			pass.Report(gate.Finding{Code: code.Incomplete, Path: d.Pos.File, Line: d.Pos.Line, Message: message})
		}
		return nil
	})
}
