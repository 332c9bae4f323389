package types

import (
	"testing"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// TestAdaptedByGoesByTheOrderOfExecution: a step that was carried out already
// adapts nothing any more, wherever the plan declares it.
func TestAdaptedByGoesByTheOrderOfExecution(t *testing.T) {
	step := func(a plan.Address, file string) plan.Step {
		return plan.Step{ID: "1", Address: a, Artifacts: &plan.Artifacts{Modify: []string{file}}}
	}
	p := &plan.Plan{Tasks: []plan.Task{{ID: "1", Steps: []plan.Step{step("1.1", "lamp/a.go")}},
		{ID: "2", Steps: []plan.Step{step("2.1", "hall/a.go")}}}}
	pass := &gate.Pass{Plan: p, Step: &p.Tasks[0].Steps[0]}
	if got := adaptedBy(pass, "hall"); got != "2.1" {
		t.Errorf("as declared: %q", got)
	}
	pass.Order = func() []plan.Address { return []plan.Address{"2.1", "1.1"} }
	if got := adaptedBy(pass, "hall"); got != "" {
		t.Errorf("stage by stage: %q", got)
	}
	pass.Step = &p.Tasks[1].Steps[0]
	if got := adaptedBy(pass, "lamp"); got != "1.1" {
		t.Errorf("of what comes first: %q", got)
	}
}

func TestCovers(t *testing.T) {
	tests := []struct {
		test, folder string
		want         bool
	}{
		{"go test ./server -run Limit", "server", true},
		{"go test ./server -run Limit", "server/sub", false},
		{"go test ./server -run Limit", "", false},
		{"go test ./server/... ./x", "server/sub", true},
		{"go test ./...", "any/where", true},
		{"go test ./...", "", true},
		{"go test .", "", true},
		{"go test .", "server", false},
		{"go test", "", true},
		{"go test", "server", false},
		{"make test", "server", true},
		{"cd server && go test", "server", true},
		{"go test ./serverless", "server", false},
	}
	for _, tt := range tests {
		if got := covers(tt.test, tt.folder); got != tt.want {
			t.Errorf("covers(%q, %q) is %v", tt.test, tt.folder, got)
		}
	}
}
