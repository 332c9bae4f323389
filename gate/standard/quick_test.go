package standard_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/standard"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// forbidden is a runner that must not be asked.
type forbidden struct{ t *testing.T }

func (f forbidden) Run(context.Context, gate.Command) (gate.CommandResult, error) {
	f.t.Error("a command was run")
	return gate.CommandResult{}, errors.New("not here")
}

// TestQuickGatesOnlyLook asks the gates about steps that changed nothing and ask for next to nothing: nobody watches them then, so that
// they must neither read contents nor run commands.
func TestQuickGatesOnlyLook(t *testing.T) {
	step := &plan.Step{Address: "1.1", SemanticChange: plan.Preserving, Artifacts: &plan.Artifacts{},
		Preconditions:  []plan.Check{{Kind: "file_absent", Path: "a"}},
		Postconditions: []plan.Check{{Kind: "file_absent", Path: "a"}}}
	p := &plan.Plan{Goal: "nothing", Invariants: []plan.Invariant{{ID: "I1", Text: "in words"}}, NonGoals: []plan.NonGoal{{ID: "N1", Paths: []string{"b"}, Symbols: []string{"B"}}}}
	for _, phase := range []gate.Phase{gate.Before, gate.During, gate.After} {
		panel := &gate.Panel{Gates: standard.Gates(), Checks: standard.Checks()}
		js := panel.Ask(t.Context(), phase, &gate.Pass{Plan: p, Step: step, Dir: t.TempDir(), Account: &ledger.Account{}, Runner: forbidden{t},
			Output: &gate.Output{}, Content: func(context.Context, ledger.Entry) (io.ReadCloser, error) {
				t.Error("a content was read")
				return nil, errors.New("not here")
			}})
		if len(js) == 0 {
			t.Errorf("%s: nobody was asked", phase)
		}
		for _, j := range js {
			if j.Err != nil || j.Verdict.Result != gate.Passed {
				t.Errorf("%s: %s says %+v, %v", phase, j.Gate, j.Verdict, j.Err)
			}
		}
	}
}
