package flow

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

func TestProse(t *testing.T) {
	for file, want := range map[string]bool{
		"a.config.js": true, "x/y.json": true, "ci.yaml": true, "ci.yml": true, "README.md": true, "README": true, "s.css": true, "s.sass": true, "s.less": true,
		".env": true, ".env.local": true, "app.env": true,
		"go.mod": true, "Makefile": true, "a.toml": true,
		"a.go": false, "config.go": false, "json.go": false, "md": false, "environment.ts": false, "x.json/a.go": false,
	} {
		if got := Prose(file); got != want {
			t.Errorf("%s: %v, want %v", file, got, want)
		}
	}
}

// TestCycleOf holds when tests come first, and which.
func TestCycleOf(t *testing.T) {
	code := &plan.Artifacts{Create: []string{"a.go"}}
	brings := plan.Step{Address: "1.1", Artifacts: code, TestIntent: &plan.TestIntent{Test: "go test", FixedBy: "1.2"}}
	fixing := plan.Step{Address: "1.2", Artifacts: code}
	tdd := plan.Step{Address: "1.3", TDD: true, Artifacts: code,
		Postconditions: []plan.Check{{Kind: "file_exists", Path: "a.go"}, {Kind: "command", Run: "make test"}}}
	asked := tdd
	asked.Artifacts = &plan.Artifacts{Create: []string{"a.json", "b.md"}}
	mixed := tdd
	mixed.Artifacts = &plan.Artifacts{Create: []string{"a.json", "b.go"}}
	none := plan.Step{Address: "1.4", TDD: true, Artifacts: code}
	p := &plan.Plan{Tasks: []plan.Task{{ID: "1", Steps: []plan.Step{brings, fixing, tdd, none}}}}
	tests := map[string]struct {
		s          plan.Step
		complexity int
		strategy   history.Strategy
		want       Cycle
	}{
		"the step that brings a test has red": {brings, 3, history.Orchestrated,
			Cycle{Tests: []string{"go test"}, Phases: []history.CyclePhase{history.Red}}},
		"the one that fixes it sees it red first": {fixing, 3, history.Orchestrated,
			Cycle{Tests: []string{"go test"}, Phases: whole(), Written: true}},
		"complexity 2 is too simple": {fixing, 2, history.Orchestrated,
			Cycle{Why: "the task is simple"}},
		"direct has no tests first": {fixing, 3, history.Direct,
			Cycle{Why: "the strategy is direct"}},
		"but the step that asks for it": {tdd, 1, history.Direct,
			Cycle{Tests: []string{"make test"}, Phases: whole()}},
		"not for configuration and prose":             {asked, 5, history.Orchestrated, Cycle{Why: "it changes nothing but configuration, data or prose"}},
		"code among configuration counts":             {mixed, 5, history.Orchestrated, Cycle{Tests: []string{"make test"}, Phases: whole()}},
		"a step that names no test is done in one go": {none, 5, history.Orchestrated, Cycle{Why: "it names no test", Missing: true}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := CycleOf(p, &p.Tasks[0], &tt.s, &history.StrategySet{Strategy: tt.strategy,
				Complexity: tt.complexity})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("the task's complexity counts more than the run's", func(t *testing.T) {
		task := plan.Task{ID: "1", Complexity: 2}
		if c := CycleOf(p, &task, &fixing,
			&history.StrategySet{Strategy: history.Orchestrated, Complexity: 5}); c.Phases != nil {
			t.Errorf("got %+v", c)
		}
	})
}
