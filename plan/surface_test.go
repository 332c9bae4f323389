package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/planlock/planlock/plan"
)

// surfaces is a plan with a step that adds a symbol, one that only changes a file
// of its package, and one that does neither.
func surfaces() *plan.Plan {
	return &plan.Plan{
		Surfaces: []plan.Surface{{Symbol: "server.New", Inputs: []string{}, Outputs: []string{"*Limiter"}, Effects: " "},
			{Symbol: "server.Old", Errors: []string{"server.ErrA", "words"}, Persistence: "none"}},
		Tasks: []plan.Task{{ID: "1", Steps: []plan.Step{
			{ID: "1", Address: "1.1", Artifacts: &plan.Artifacts{Create: []string{"server/limit.go"}, SymbolsAdd: []string{"server.New"}}},
			{ID: "2", Address: "1.2", Artifacts: &plan.Artifacts{Modify: []string{"server/old.go"}}},
			{ID: "3", Address: "1.3", Artifacts: &plan.Artifacts{Modify: []string{"README.md"}}},
		}}},
	}
}

func TestPromises(t *testing.T) {
	p := surfaces()
	is, old := "server.New: inputs: none · outputs: *Limiter", "server.Old: errors: server.ErrA; words · persistence: none"
	for i, want := range [][]string{{is, old}, {old}, nil} {
		if diff := cmp.Diff(want, p.Promises(&p.Tasks[0].Steps[i])); diff != "" {
			t.Errorf("step %d: %s", i+1, diff)
		}
	}
	if diff := cmp.Diff([]string{is, old}, p.Promises()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"errors", "effects", "persistence", "concurrency"}, p.Surfaces[0].Unsaid()); diff != "" {
		t.Error(diff)
	}
}

// TestSurfacesOfNewStepsAreAdded adds a surface with the step that it is of, and
// none of a step that was there.
func TestSurfacesOfNewStepsAreAdded(t *testing.T) {
	by := surfaces()
	by.Tasks[0].Steps = append(by.Tasks[0].Steps, plan.Step{ID: "4", Address: "1.4",
		Artifacts: &plan.Artifacts{SymbolsAdd: []string{"server.More"}}})
	by.Surfaces = append(by.Surfaces, plan.Surface{Symbol: "server.More"})
	if a, err := surfaces().Amend(by); err != nil || len(a.Steps) != 1 {
		t.Errorf("%+v: %v", a, err)
	}
	by.Surfaces[2].Symbol = "server.Other"
	if _, err := surfaces().Amend(by); err == nil {
		t.Error("a surface of no new step was added")
	}
	by.Surfaces = by.Surfaces[:2]
	by.Surfaces[0].Effects = "others"
	if _, err := surfaces().Amend(by); err == nil {
		t.Error("a surface was changed")
	}
}
