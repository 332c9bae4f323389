package document

import (
	"fmt"

	"github.com/planlock/planlock/exec/history"
)

// ceremony is the strategy of a run as checkpoint.yaml has it.
func ceremony(m *Model) string {
	if s := m.of.Flow.Strategy; s != nil && s.Strategy == history.Orchestrated {
		return "ORCHESTRATED"
	}
	return "DIRECT"
}

// phaseProgress is how far a run is: by the phases of its strategy, or by its
// tasks where there are none.
type phaseProgress struct {
	Current, Total int
	Done           []donePhase
}

// A donePhase is a phase, or a task, that is over, and what shows it.
type donePhase struct {
	Number         int
	Name, Evidence string
}

// phases is what checkpoint.yaml says about how far the run is.
func phases(m *Model) phaseProgress {
	var done []donePhase
	flow := m.of.Flow
	if flow.Strategy != nil && len(flow.Strategy.Phases) > 0 {
		for _, p := range completedPhases(m) {
			done = append(done, donePhase{p.Number, p.Phase,
				fmt.Sprintf("%s, tree %s", carriedOut(p), p.Checkpoint.Tree.Short())})
		}
		total := len(flow.Strategy.Phases)
		return phaseProgress{min(len(flow.Phases)+1, total), total, done}
	}
	for i, t := range m.Tasks {
		if t.Status == "completed" {
			done = append(done, donePhase{i + 1, t.Title, t.gates() + " passed"})
		}
	}
	return phaseProgress{min(len(done)+1, max(len(m.Tasks), 1)), len(m.Tasks), done}
}

// completedPhases are the phases that are over, and of which something was
// completed.
func completedPhases(m *Model) []history.PhaseOver {
	return only(m.of.Flow.Phases, func(p history.PhaseOver) bool { return p.Completed > 0 })
}

// carriedOut is what a phase that is over came to.
func carriedOut(p history.PhaseOver) string {
	if p.Left > 0 {
		return fmt.Sprintf("%d of %s completed", p.Completed, count(p.Completed+p.Left, "step", "steps"))
	}
	return count(p.Completed, "step", "steps") + " completed"
}
