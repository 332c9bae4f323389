package flow

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// TestLevels moves every end of every measure by one.
func TestLevels(t *testing.T) {
	want := map[string][4]int{
		"tasks": {1, 2, 4, 8}, "steps": {2, 5, 10, 20}, "files": {1, 3, 7, 15},
		"dependencies": {0, 2, 5, 10}, "minutes": {5, 15, 30, 60}, "errors": {0, 1, 3, 5},
	}
	for name, ends := range map[string][4]int{"tasks": byTasks, "steps": bySteps, "files": byFiles,
		"dependencies": byDependencies, "minutes": byMinutes, "errors": byErrors} {
		for i, end := range want[name] {
			if got := level(ends, end); got != i+1 {
				t.Errorf("%s: %d is level %d, want %d", name, end, got, i+1)
			}
			if got := level(ends, end+1); got != i+2 {
				t.Errorf("%s: %d is level %d, want %d", name, end+1, got, i+2)
			}
		}
	}
}

// planOf is a plan of tasks with so many steps each, every step with a file of
// its own.
func planOf(steps ...int) *plan.Plan {
	p := &plan.Plan{}
	for i, n := range steps {
		task := plan.Task{ID: fmt.Sprint(i + 1)}
		for j := range n {
			a := plan.Address(fmt.Sprintf("%d.%d", i+1, j+1))
			task.Steps = append(task.Steps, plan.Step{ID: fmt.Sprint(j + 1), Address: a,
				Artifacts: &plan.Artifacts{Create: []string{string(a)}}})
		}
		p.Tasks = append(p.Tasks, task)
	}
	return p
}

func outlineOf(p *plan.Plan) []history.Outline {
	var list []history.Outline
	for _, t := range p.Tasks {
		for _, s := range t.Steps {
			list = append(list, history.Outline{Address: s.Address, Task: t.ID, Critical: s.IsCritical()})
		}
	}
	return list
}

func TestComplexity(t *testing.T) {
	said := planOf(1)
	said.Tasks[0].Complexity = 4
	setting := planOf(1)
	setting.Tasks[0].Complexity = 4
	setting.Execution.Extra = []plan.Setting{{Key: "complexity", Value: plan.Value{Kind: "integer", Text: "2"}}}
	tests := map[string]struct {
		p      *plan.Plan
		n      int
		source string
	}{
		"one small step": {planOf(1), 1, "computed"},
		"the second highest of the four measures": {planOf(3), 2, "computed"}, // 3 steps and 3 files: 2 and 2
		"many steps and files in one task":        {planOf(8), 3, "computed"}, // 3 and 4: 3 counts
		"a task says it":                          {said, 4, "plan"},
		"the plan's own word counts more":         {setting, 2, "plan"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if n, source, _ := Complexity(tt.p); n != tt.n || source != tt.source {
				t.Errorf("got %d (%s), want %d (%s)", n, source, tt.n, tt.source)
			}
		})
	}
}

// TestStrategyByComplexity holds the border between 2 and 3.
func TestStrategyByComplexity(t *testing.T) {
	for n, want := range map[int]history.Strategy{1: history.Direct, 2: history.Direct, 3: history.Orchestrated,
		4: history.Orchestrated, 5: history.Orchestrated} {
		p := planOf(6)
		p.Tasks[0].Complexity = n
		set := Choose(p, outlineOf(p), "")
		if set.Strategy != want || (len(set.Phases) > 0) != (want == history.Orchestrated) {
			t.Errorf("complexity %d: %s with %d phases, want %s", n, set.Strategy, len(set.Phases), want)
		}
		if set := Choose(p, outlineOf(p), history.Direct); set.Strategy != history.Direct || set.Source != "asked" {
			t.Errorf("complexity %d: asked for direct, got %s (%s)", n, set.Strategy, set.Source)
		}
	}
}

// TestPhases: 2 to 3 phases at complexity 3, 3 to 4 at 4, 4 to 5 at 5.
func TestPhases(t *testing.T) {
	for complexity, want := range map[int]map[int]int{
		3: {1: 1, 2: 2, 8: 2, 9: 3, 40: 3},
		4: {2: 2, 3: 3, 12: 3, 13: 4, 40: 4},
		5: {4: 4, 16: 4, 17: 5, 40: 5},
	} {
		for steps, n := range want {
			p := planOf(steps)
			phases := Phases(p, outlineOf(p), complexity)
			if len(phases) != n {
				t.Errorf("complexity %d, %d steps: %d phases, want %d", complexity, steps, len(phases), n)
			}
			total := 0
			for _, ph := range phases {
				total += len(ph.Steps)
			}
			if total != steps {
				t.Errorf("complexity %d: %d of %d steps are in a phase", complexity, total, steps)
			}
		}
	}
	tasks := planOf(1, 2)
	want := []history.Phase{{Name: "task 1", Steps: []plan.Address{"1.1"}},
		{Name: "task 2", Steps: []plan.Address{"2.1", "2.2"}}}
	if diff := cmp.Diff(want, Phases(tasks, outlineOf(tasks), 3)); diff != "" {
		t.Errorf("phases by tasks (-want +got):\n%s", diff)
	}
	groups := planOf(1, 1, 1)
	tasks.Tasks[0].Title, tasks.Tasks[1].Description = "Lamps", "Hall\nas drawn"
	if got := Phases(tasks, outlineOf(tasks), 3); got[0].Name != "task 1: Lamps" || got[1].Name != "task 2: Hall" {
		t.Errorf("phases are called %q and %q, want them by what the plan calls them", got[0].Name, got[1].Name)
	}
	groups.Speclets = []plan.Speclet{{ID: "a", Tasks: []string{"1", "3"}}, {ID: "b", Tasks: []string{"2"}}}
	want = []history.Phase{{Name: "speclet a", Steps: []plan.Address{"1.1", "3.1"}},
		{Name: "speclet b", Steps: []plan.Address{"2.1"}}}
	if diff := cmp.Diff(want, Phases(groups, outlineOf(groups), 3)); diff != "" {
		t.Errorf("phases by speclets (-want +got):\n%s", diff)
	}
}

// runWith is a direct run of planned complexity in which so many files were
// touched, minutes spent, attempts failed.
func runWith(planned, files, minutes, errors int) *history.Run {
	s := &history.Step{Outline: history.Outline{Address: "1.1", Task: "1"}, Status: history.InFlight}
	a := &history.Attempt{Said: &history.AttemptEnded{Took: time.Duration(minutes) * time.Minute},
		Accounted: &history.Accounted{}}
	for i := range files {
		a.Accounted.Changes = append(a.Accounted.Changes, ledger.Change{Path: fmt.Sprint(i)})
	}
	s.Attempts = append(s.Attempts, a)
	for range errors {
		s.Attempts = append(s.Attempts, &history.Attempt{Failure: &history.AttemptFailed{Class: history.Crashed}})
	}
	// no error of its own
	s.Undone = append(s.Undone, &history.Attempt{Failure: &history.AttemptFailed{Class: history.Lost}})
	run := &history.Run{Steps: []*history.Step{s}}
	run.Flow.Strategy = &history.StrategySet{Strategy: history.Direct, Complexity: planned}
	return run
}

// TestSwitch: one level harder is no reason, two are.
func TestSwitch(t *testing.T) {
	p := planOf(1)
	tests := map[string]struct {
		planned, files, minutes, errors int
		want                            bool
	}{
		"as planned":                     {1, 1, 5, 0, false},
		"one level harder":               {1, 3, 15, 0, false},
		"two levels harder":              {1, 4, 16, 0, true},
		"two levels harder from 2":       {2, 8, 31, 0, true},
		"one level harder from 2":        {2, 7, 30, 9, false},
		"one measure alone":              {1, 100, 0, 0, false},
		"the last second does not count": {1, 4, 15, 0, false},
		"errors and files":               {1, 4, 0, 2, true},
		"errors and files, one less":     {1, 4, 0, 1, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			run := runWith(tt.planned, tt.files, tt.minutes, tt.errors)
			set := Switch(p, run)
			if (set != nil) != tt.want {
				n, m := Measured(run)
				t.Fatalf("switch %v at complexity %d (%+v), want %v", set != nil, n, m, tt.want)
			}
			if set != nil && (set.From != history.Direct || set.Planned != tt.planned ||
				set.Measures.Files != tt.files || len(set.Phases) == 0) {
				t.Errorf("got %+v", set)
			}
		})
	}
	if Switch(p, func() *history.Run {
		r := runWith(1, 50, 100, 9)
		r.Flow.Strategy.Strategy = history.Orchestrated
		return r
	}()) != nil {
		t.Error("an orchestrated run switches")
	}
}
