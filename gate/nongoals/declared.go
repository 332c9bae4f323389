package nongoals

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Declared is the gate that holds what steps declare against what must not be
// touched, before anything runs.
func Declared() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "declared-non-goals",
		Doc:     "No step may declare an artifact that a non-goal protects; a glob counts if everything that it can match is protected.",
		Version: "1", Level: gate.BlocksApproval, Phases: []gate.Phase{gate.Planning}, Stateless: true,
	}, nil, func(_ context.Context, pass *gate.Pass) error {
		if pass.Plan == nil {
			return errors.New("declared-non-goals: the pass has no plan")
		}
		if len(pass.Plan.NonGoals) == 0 {
			pass.Nothingf("the plan has no non-goals")
			return nil
		}
		for t := range pass.Plan.Tasks {
			for s := range pass.Plan.Tasks[t].Steps {
				if step := &pass.Plan.Tasks[t].Steps[s]; step.Artifacts != nil {
					declares(pass, step)
				}
			}
		}
		return nil
	})
}

// declares reports every artifact of a step that a non-goal protects.
func declares(pass *gate.Pass, s *plan.Step) {
	d := s.Artifacts.Declared()
	for _, n := range pass.Plan.NonGoals {
		for _, paths := range [][]string{d.Create, d.Modify, d.Delete} {
			for _, p := range paths {
				base := path.Clean(p)
				if ledger.IsGlob(p) {
					base, _ = doublestar.SplitPattern(base)
				}
				if pattern, ok := protects(n, base); ok && base != "." {
					pass.Report(gate.Finding{Code: code.NonGoal, Path: p,
						Message: fmt.Sprintf("step %s declares %q, and non-goal %q (%s) protects %q", s.Address, p,
							n.ID, n.Text, pattern)})
				}
			}
		}
		for _, symbols := range [][]string{d.SymbolsAdd, d.SymbolsRemove} {
			for _, sym := range symbols {
				if name, ok := protectsSymbol(n, sym); ok {
					pass.Report(gate.Finding{Code: code.NonGoal,
						Message: fmt.Sprintf("step %s declares symbol %q, and non-goal %q (%s) protects %q",
							s.Address, sym, n.ID, n.Text, name)})
				}
			}
		}
	}
}
