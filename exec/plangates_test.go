package exec_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// TestPlansGiveGatesArguments: a host's gate gets what the plan says, and a
// plan that asks for what is not there is refused, also where nobody checked it
// against this controller.
func TestPlansGiveGatesArguments(t *testing.T) {
	linter := gate.New(gate.Info{Name: "linter", Doc: "allows few changes", Level: gate.BlocksStep,
		Phases: []gate.Phase{gate.After},
		Args:   []plan.Argument{{Name: "max", Doc: "how many", Kind: "integer"}}},
		func(_ context.Context, pass *gate.Pass) error {
			most, err := pass.Args.Int("max", 100)
			if len(pass.Changes) > most {
				pass.Reportf("", "%d changes, and %d are allowed", len(pass.Changes), most)
			}
			return err
		})
	for _, tt := range []struct {
		name, gates string
		want        history.Status
		refused     string
	}{
		{"not asked for", "", history.Achieved, ""},
		{"without arguments", "[[gates]]\nname = \"linter\"\n", history.Achieved, ""},
		{"enough", "[[gates]]\nname = \"linter\"\nmax = 5\n", history.Achieved, ""},
		{"too few", "[[gates]]\nname = \"linter\"\nmax = 0\n", history.NotAchieved, ""},
		{"unknown gate", "[[gates]]\nname = \"painter\"\n", "", `"painter"`},
		{"unknown argument", "[[gates]]\nname = \"linter\"\nmin = 5\n", "", `"min"`},
		{"another kind", "[[gates]]\nname = \"linter\"\nmax = \"5\"\n", "", `"max"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := exectest.New(t, strings.Replace(twoSteps(), "[defaults]", tt.gates+"\n[defaults]", 1), workspace,
				goodScript)
			b.Controller.Gates = append(b.Controller.Gates, linter)
			if tt.refused == "" {
				b.Run(t).Want(t, tt.want)
				return
			}
			if _, err := b.Controller.Lock(t.Context(), b.Draft); err == nil {
				t.Error("it was locked")
			}
			locked, err := plan.Lock(b.Draft, plan.LockOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var refused *exec.RefusedError
			if _, err := b.Controller.Run(t.Context(), locked); !errors.As(err, &refused) ||
				!strings.Contains(err.Error(), tt.refused) {
				t.Errorf("got %v, want a refusal that names %s", err, tt.refused)
			}
		})
	}
}
