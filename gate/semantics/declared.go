package semantics

import (
	"context"
	"errors"
	"fmt"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/plan"
)

// Declared is the gate that asks for a class of every step that changes
// something.
func Declared() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "classification",
		Doc:     "Every step that changes something must state its semantic_change; under the profiles observe and scoped a step without one is recorded.",
		Version: "1", Level: gate.BlocksStep, Phases: []gate.Phase{gate.Planning}, Stateless: true,
	}, nil, func(_ context.Context, pass *gate.Pass) error {
		if pass.Plan == nil {
			return errors.New("classification: the pass has no plan")
		}
		for t := range pass.Plan.Tasks {
			for s := range pass.Plan.Tasks[t].Steps {
				classified(pass, &pass.Plan.Tasks[t].Steps[s])
			}
		}
		return nil
	})
}

// classified asks one step for its class.
func classified(pass *gate.Pass, s *plan.Step) {
	switch {
	case s.SemanticChange != "" || !changes(s):
	case pass.Plan.Profile.Records():
		pass.Evidencef("step %s has no semantic_change (recorded, as the profile is %s)", s.Address, pass.Plan.Profile)
	default:
		pass.Report(gate.Finding{Code: code.SemanticClass,
			Message:  fmt.Sprintf("step %s changes something and has no semantic_change", s.Address),
			Expected: "preserving, extending, modifying or breaking"})
	}
}

// changes reports whether a step may change something.
func changes(s *plan.Step) bool {
	if s.Artifacts == nil {
		return true
	}
	d := s.Artifacts.Declared()
	return len(d.Create)+len(d.Modify)+len(d.Delete)+len(d.SymbolsAdd)+len(d.SymbolsRemove) > 0
}
