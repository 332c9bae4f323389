package builtin_test

import (
	"slices"
	"testing"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/gate/checks"
	"github.com/planlock/planlock/gate/gatetest"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/plan"
)

// TestGatesThatHadNothingToJudge asks all gates about a step of which the plan
// says nothing, and about one of which it says everything: only those count as
// having judged that something was asked of.
func TestGatesThatHadNothingToJudge(t *testing.T) {
	one, zero := 1, 0
	all := []string{"artifacts", "evidence", "expected-output", "invariants", "limits", "non-goals", "postconditions",
		"preconditions", "semantic-class", "syntax", "types"}
	for name, tt := range map[string]struct {
		plan plan.Plan
		step plan.Step
		made gatetest.Files
		want []string // that judged
	}{
		"nothing is asked": {plan.Plan{Profile: plan.Observe}, plan.Step{ExpectedOutput: "it works"},
			gatetest.Files{"notes.txt": "x"}, nil},
		"a file that is parsed": {plan.Plan{Profile: plan.Observe}, plan.Step{}, gatetest.Files{"a.json": "{}"},
			[]string{"syntax"}},
		"everything is asked": {plan.Plan{NonGoals: []plan.NonGoal{{ID: "N1", Paths: []string{"b"}}},
			Invariants: []plan.Invariant{{ID: "I1", Check: &plan.Check{Kind: "file_absent", Path: "gone"}}}},
			plan.Step{SemanticChange: plan.Extending, Limits: &plan.Limits{MaxFiles: &one}, Evidence: []string{"main.go"},
				Artifacts: &plan.Artifacts{Create: []string{"main.go"}}, Expect: &plan.Expect{Exit: &zero},
				Preconditions:  []plan.Check{{Kind: "file_absent", Path: "gone"}},
				Postconditions: []plan.Check{{Kind: "file_exists", Path: "main.go"}}},
			gatetest.Files{"main.go": "package main\n\nfunc main() {}\n"}, slices.DeleteFunc(slices.Clone(all),
				func(gate string) bool { return gate == "types" })}, // there is no module
	} {
		t.Run(name, func(t *testing.T) {
			var judged []string
			for _, phase := range []gate.Phase{gate.Before, gate.During, gate.After} {
				pass := gatetest.Pass(t, gatetest.Files{}, tt.made)
				pass.Plan, pass.Step = &tt.plan, &tt.step
				judges := &panel.Panel{Gates: builtin.Gates(), Checks: checks.Kinds()}
				for _, j := range judges.Ask(t.Context(), pass, phase) {
					switch {
					case j.Err != nil || j.Verdict.Result != gate.Passed:
						t.Errorf("%s says %+v, %v", j.Gate, j.Verdict, j.Err)
					case j.Judged() && !slices.Contains(judged, j.Gate):
						judged = append(judged, j.Gate)
					case !j.Judged() && len(j.Verdict.Evidence) == 0:
						t.Errorf("%s does not say why it had nothing to judge", j.Gate)
					}
				}
			}
			if slices.Sort(judged); !slices.Equal(judged, tt.want) {
				t.Errorf("%q judged, want %q", judged, tt.want)
			}
		})
	}
}

// A gate that says something besides has judged.
func TestNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		say  func(*gate.Pass)
		idle bool
	}{
		"nothing at all":     {func(*gate.Pass) {}, false},
		"that it is nothing": {func(p *gate.Pass) { p.Nothingf("no limits") }, true},
		"evidence, too":      {func(p *gate.Pass) { p.Nothingf("no limits"); p.Evidencef("looked") }, false},
		"an objection, too":  {func(p *gate.Pass) { p.Nothingf("no limits"); p.Reportf("", "no") }, false},
	} {
		pass := &gate.Pass{}
		if tt.say(pass); pass.Verdict().Idle != tt.idle {
			t.Errorf("%s: idle is %t", name, !tt.idle)
		}
	}
}
