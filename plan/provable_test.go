package plan_test

import (
	"testing"

	"github.com/planlock/planlock/plan"
)

// TestLooking: only a critical step that declares that it changes nothing, neither
// in the workspace nor outside of it, only looks, and only where others are
// critical.
func TestLooking(t *testing.T) {
	no := false
	work := plan.Step{ID: "1", Address: "1.1"}
	for _, tt := range []struct {
		name string
		step plan.Step
		want bool
	}{
		{"it changes nothing", plan.Step{Artifacts: &plan.Artifacts{}}, true},
		{"it does not say", plan.Step{}, false},
		{"it creates a file", plan.Step{Artifacts: &plan.Artifacts{Create: []string{"a.txt"}}}, false},
		{"it does something outside", plan.Step{Artifacts: &plan.Artifacts{}, Rollback: plan.Irreversible}, false},
		{"the goal does not depend on it", plan.Step{Artifacts: &plan.Artifacts{}, Critical: &no}, false},
	} {
		step := tt.step
		p := &plan.Plan{Tasks: []plan.Task{{ID: "1", Steps: []plan.Step{work, step}}}}
		if got := p.Looking()(&p.Tasks[0].Steps[1]); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
		alone := &plan.Plan{Tasks: []plan.Task{{ID: "1", Steps: []plan.Step{step}}}}
		if alone.Looking()(&alone.Tasks[0].Steps[0]) {
			t.Errorf("%s: with no other critical step, critical_flag = false would change nothing", tt.name)
		}
	}
}
