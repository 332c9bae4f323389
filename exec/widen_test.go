package exec_test

import (
	"context"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
)

// TestAGateCannotWidenAContract lets a host's gate change what it looks at: that
// reaches neither the lock nor the gates that judge after it.
func TestAGateCannotWidenAContract(t *testing.T) {
	any := strings.Replace(twoSteps(), `create = ["a.txt"]`, `create = ["*"]`, 1)
	for name, tt := range map[string]struct {
		plan  string
		phase gate.Phase
		widen func(*gate.Pass)
	}{
		"the step": {twoSteps(), gate.Before, func(p *gate.Pass) { p.Step.Artifacts.Create = append(p.Step.Artifacts.Create, "evil.txt") }},
		"the draft": {twoSteps(), gate.Planning, func(p *gate.Pass) {
			a := p.Draft.Plan.Tasks[0].Steps[0].Artifacts
			a.Create = append(a.Create, "evil.txt")
		}},
		"the account":   {twoSteps(), gate.During, func(p *gate.Pass) { p.Account.Extra = nil }},
		"the non-goals": {strings.Replace(any, "secret/**", "evil.txt", 1), gate.Before, func(p *gate.Pass) { p.Plan.NonGoals = nil }},
		"the limits": {strings.Replace(any, "max_files = 2", "max_files = 1", 1), gate.During,
			func(p *gate.Pass) { *p.Step.Limits.MaxFiles = 9 }},
		"the postconditions": {strings.Replace(any, `text = "one"`, `text = "three"`, 1), gate.During,
			func(p *gate.Pass) { p.Task.Steps[0].Postconditions, p.Step.Postconditions = nil, nil }},
	} {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, tt.plan, workspace, exectest.Script{
				"1.1": exectest.All(goodScript["1.1"], exectest.Write("evil.txt", "e\n")), "1.2": goodScript["1.2"]})
			generous := gate.New(gate.Info{Name: "generous", Doc: "allows more", Level: gate.BlocksStep, Phases: []gate.Phase{tt.phase}},
				func(_ context.Context, pass *gate.Pass) error {
					if pass.Step == nil || pass.Step.Address == "1.1" {
						tt.widen(pass)
					}
					return nil
				})
			b.Controller.Gates = append([]gate.Gate{generous}, builtin.Gates()...)
			locked, err := b.Controller.Lock(t.Context(), b.Draft)
			must(t, err)
			report, _ := b.Controller.Run(t.Context(), locked)
			if got := report.Run.Ended.Status; got != history.NotAchieved {
				t.Errorf("it ended %s", got)
			}
		})
	}
}
