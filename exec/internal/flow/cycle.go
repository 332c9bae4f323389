package flow

import (
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// testFirstFrom is the complexity from which on tests come first.
const testFirstFrom = 3

// A Cycle is how a step writes its test first. The zero value is not at all.
type Cycle struct {
	Tests  []string             // the commands
	Phases []history.CyclePhase // in order; none: the step is done in one go
	// Written is set if an earlier step brought the test: then the red phase
	// only looks whether it fails.
	Written bool
	Why     string // why there are no phases, where the run writes tests first
	Missing bool   // a test should come first, and none is named
}

// CycleOf says how a step writes its test first, in a run that does so. It is
// asked for by the step (tdd = true), or follows from the complexity of its
// task, else of the run, being 3 or more under the strategy orchestrated. Steps
// that declare nothing but configuration, data or prose have none.
//
// The test is that of a test_intent: the step that brings it has the red phase,
// the one that fixes it sees it red, and has green and refactor. Without one it
// is the first command among the postconditions of a step with tdd = true,
// which has all three.
func CycleOf(p *plan.Plan, t *plan.Task, s *plan.Step, set *history.StrategySet) Cycle {
	complexity, strategy := 0, history.Direct
	if set != nil {
		complexity, strategy = set.Complexity, set.Strategy
	}
	if t != nil && t.Complexity > 0 {
		complexity = t.Complexity
	}
	switch {
	case !s.TDD && strategy == history.Direct:
		return Cycle{Why: "the strategy is direct"}
	case !s.TDD && complexity < testFirstFrom:
		return Cycle{Why: "the task is simple"}
	case allProse(s.Artifacts):
		return Cycle{Why: "it changes nothing but configuration, data or prose"}
	}
	if s.TestIntent != nil && s.TestIntent.Test != "" {
		return Cycle{Tests: []string{s.TestIntent.Test}, Phases: []history.CyclePhase{history.Red}}
	}
	if tests := fixes(p, s.Address); len(tests) > 0 {
		return Cycle{Tests: tests, Phases: whole(), Written: true}
	}
	if s.TDD {
		for _, c := range s.Postconditions {
			if c.Kind == "command" && c.Run != "" {
				return Cycle{Tests: []string{c.Run}, Phases: whole()}
			}
		}
	}
	return Cycle{Why: "it names no test", Missing: true}
}

// Untested are the steps that declare files other than configuration, data or
// prose, or say tdd, are to write a test first, and name none: they are done in
// one go.
func Untested(p *plan.Plan, set *history.StrategySet) []plan.Address {
	var list []plan.Address
	for i := range p.Tasks {
		for j := range p.Tasks[i].Steps {
			s := &p.Tasks[i].Steps[j]
			a := s.Artifacts
			makes := s.TDD || a != nil && len(a.Create)+len(a.Modify)+len(a.Delete) > 0
			if makes && CycleOf(p, &p.Tasks[i], s, set).Missing {
				list = append(list, s.Address)
			}
		}
	}
	return list
}

// TestDriven are the steps that say tdd, and that can write a test first.
func TestDriven(p *plan.Plan) []plan.Address {
	var list []plan.Address
	for i := range p.Tasks {
		for j := range p.Tasks[i].Steps {
			if s := &p.Tasks[i].Steps[j]; s.TDD && !allProse(s.Artifacts) {
				list = append(list, s.Address)
			}
		}
	}
	return list
}

func whole() []history.CyclePhase {
	return []history.CyclePhase{history.Red, history.Green, history.Refactor}
}

// fixes are the tests that a step makes pass, each once.
func fixes(p *plan.Plan, a plan.Address) []string {
	var tests []string
	for i := range p.Tasks {
		for j := range p.Tasks[i].Steps {
			intent := p.Tasks[i].Steps[j].TestIntent
			if intent != nil && intent.FixedBy == a && intent.Test != "" && !slices.Contains(tests, intent.Test) {
				tests = append(tests, intent.Test)
			}
		}
	}
	return tests
}

// allProse reports whether artifacts are declared and nothing in them can be
// tested first.
func allProse(a *plan.Artifacts) bool {
	if a == nil {
		return false
	}
	all := slices.Concat(a.Create, a.Modify, a.Delete)
	return len(all) > 0 && !slices.ContainsFunc(all, func(path string) bool { return !Prose(path) })
}

// Prose reports whether a file is configuration, data or prose, for which no
// test is written first.
func Prose(file string) bool {
	name := strings.ToLower(path.Base(file))
	for _, pattern := range [...]string{
		"*.config.*", "*.conf", "*.ini", "*.toml", "*.properties", "*.env*", "dockerfile", "makefile", ".git*", ".editorconfig", "*.lock",
		"*.json", "*.jsonl", "*.yaml", "*.yml", "*.xml", "*.csv", "*.tsv", "go.mod", "go.sum",
		"*.md", "*.txt", "*.rst", "*.adoc", "*.css", "*.scss", "*.sass", "*.less", "license", "changelog", "readme",
	} {
		if ok, err := path.Match(pattern, name); ok && err == nil {
			return true
		}
	}
	return false
}
