package flow

import (
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// The upper ends of the complexities 1 to 4, of each measure; what is above is 5.
var (
	byTasks        = [...]int{1, 2, 4, 8}
	bySteps        = [...]int{2, 5, 10, 20}
	byFiles        = [...]int{1, 3, 7, 15}
	byDependencies = [...]int{0, 2, 5, 10}
	byMinutes      = [...]int{5, 15, 30, 60}
	byErrors       = [...]int{0, 1, 3, 5}
)

// level is how hard a count makes a task: the first of the bounds that holds
// it.
func level(ends [4]int, n int) int {
	for i, end := range ends {
		if n <= end {
			return i + 1
		}
	}
	return hardest
}

// Complexity is how hard a plan looks, from 1 (simple) to 5 (hard), where that
// comes from, and what was counted. The plan says it ("plan"): in [execution],
// else it is the highest complexity of its tasks. Where it says nothing
// ("computed"), tasks, steps, declared files and dependencies are each given a
// level, and the second highest of the four counts, so that no measure decides
// alone.
func Complexity(p *plan.Plan) (n int, source string, m history.Measures) {
	files := map[string]bool{}
	said := SettingsOf(p).Complexity
	m.Tasks = len(p.Tasks)
	highest := 0
	for i := range p.Tasks {
		t := &p.Tasks[i]
		highest = max(highest, t.Complexity)
		m.Steps += len(t.Steps)
		m.Dependencies += len(t.DependsOn)
		declared := slices.Clone(t.Files)
		for j := range t.Steps {
			if a := t.Steps[j].Artifacts; a != nil {
				declared = slices.Concat(declared, a.Create, a.Modify, a.Delete)
			}
		}
		for _, path := range declared {
			files[path] = true
		}
	}
	for _, s := range p.Speclets {
		m.Dependencies += len(s.DependsOn)
	}
	m.Files = len(files)
	switch {
	case said > 0:
		return said, "plan", m
	case highest > 0:
		return min(highest, hardest), "plan", m
	}
	levels := []int{level(byTasks, m.Tasks), level(bySteps, m.Steps), level(byFiles, m.Files),
		level(byDependencies, m.Dependencies)}
	slices.Sort(levels)
	return levels[len(levels)-2], "computed", m
}

// Measured is how hard a run turned out to be so far: the middle one of the
// levels of the files that were touched, the minutes that attempts took, and
// the attempts that failed for a fault of their own. Two of the three must
// agree that it is hard.
func Measured(run *history.Run) (int, history.Measures) {
	m := run.Measures()
	return ofMeasures(m), m
}

func ofMeasures(m history.Measures) int {
	levels := []int{level(byFiles, m.Files), level(byMinutes, m.Minutes), level(byErrors, m.Errors)}
	slices.Sort(levels)
	return levels[1]
}
