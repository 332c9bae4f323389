package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
)

// What a plan names by its name, and all that a non-goal may protect, is looked
// at wherever it lies.
func TestUnnamed(t *testing.T) {
	p := &plan.Plan{
		Tasks: []plan.Task{{Files: []string{"dist/index.html"}, Steps: []plan.Step{{
			Artifacts:      &plan.Artifacts{Create: []string{"src/**", "out/app.js"}},
			Evidence:       []string{"logs/run.log"},
			Postconditions: []plan.Check{{Kind: "file_exists", Path: "cover.html"}},
		}}}},
	}
	globs := []string{"**/node_modules", "**/*.pyc", "secret/tmp", "**/*.pem", "x/*.key", "**/dist", "out/*.js",
		"**/*.log", "*.html", "**/logs/old"}
	want := []string{"**/node_modules", "**/*.pyc", "secret/tmp", "**/*.pem", "x/*.key", "**/logs/old"}
	if diff := cmp.Diff(want, p.Unnamed(globs)); diff != "" {
		t.Error(diff)
	}
	p.NonGoals = []plan.NonGoal{{ID: "N1", Paths: []string{"secret", "x/*.key"}}}
	if diff := cmp.Diff([]string{"y/*.pyc"}, p.Unnamed(append(globs, "y/*.pyc"))); diff != "" {
		t.Errorf("what lies anywhere may lie in what is protected: %s", diff)
	}
}
