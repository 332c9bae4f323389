package document

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/plan"
)

// ceremony is the strategy of a run as checkpoint.yaml has it.
func ceremony(m *Model) string {
	if s := m.of.Flow.Strategy; s != nil && s.Strategy == history.Orchestrated {
		return "ORCHESTRATED"
	}
	return "DIRECT"
}

// phaseProgress is how far a run is by the phases of its strategy.
type phaseProgress struct {
	Current int // that is under way, or that has just been completed; 0: there are no phases
	Total   int
	Done    []donePhase
}

// A donePhase is a phase that is over, and what shows it.
type donePhase struct {
	Number         int
	Name, Evidence string
}

// phases is what a checkpoint document says about how far the run is. A direct run is
// one piece of work, and has no phases.
func phases(m *Model) phaseProgress {
	flow := m.of.Flow
	if flow.Strategy == nil || len(flow.Strategy.Phases) == 0 {
		return phaseProgress{Total: 1}
	}
	progress := phaseProgress{Total: len(flow.Strategy.Phases)}
	for _, p := range completedPhases(m) {
		steps := only(m.steps, func(s *step) bool {
			return slices.Contains(flow.Strategy.Phases[p.Number-1].Steps, s.Address)
		})
		progress.Done = append(progress.Done, donePhase{p.Number, p.Phase,
			fmt.Sprintf("%s, tree %s", carriedOut(p), treeAfter(m.of, steps).Short())})
	}
	progress.Current = currentPhase(m)
	return progress
}

// currentPhase is the phase that is just over where that is why there is a
// checkpoint, else the first of which something is left; of a run that has ended,
// the last in which something became of a step.
func currentPhase(m *Model) int {
	if mark := m.of.Mark(); mark != nil && mark.Phase > 0 {
		return mark.Phase
	}
	if next := nextPhase(m); next != nil {
		return next.Number
	}
	for i, p := range slices.Backward(m.of.Flow.Strategy.Phases) {
		if slices.ContainsFunc(p.Steps, func(a plan.Address) bool { return m.of.Step(a).Status != history.Pending }) {
			return i + 1
		}
	}
	return 1
}

// completedPhases are the phases that are over, and are completed.
func completedPhases(m *Model) []history.PhaseOver {
	return only(m.of.Flow.Phases, func(p history.PhaseOver) bool { return whole(m.of, p) })
}

// shortPhases are the phases that are over, and are not completed.
func shortPhases(m *Model) []history.PhaseOver {
	return only(m.of.Flow.Phases, func(p history.PhaseOver) bool { return !whole(m.of, p) })
}

// whole reports whether a phase that is over is completed: so are its tasks, or
// nothing is left of them but what lies in later phases.
func whole(run *history.Run, p history.PhaseOver) bool {
	return p.Completed > 0 && !slices.ContainsFunc(run.Flow.Strategy.Phases[p.Number-1].Steps, func(a plan.Address) bool {
		switch status := run.Task(run.Step(a).Task).Status(); {
		case status == history.Completed:
			return false
		case status.Over():
			return true
		}
		return p.Left > 0
	})
}

// A phaseAhead is the phase in which a run goes on.
type phaseAhead struct {
	Number, Of int
	Name       string
	Steps      []*step // that are left of it
}

func (p phaseAhead) String() string { return fmt.Sprintf("phase %d of %d, %s", p.Number, p.Of, p.Name) }

// nextPhase is the first phase of which a step is left; nil where none is, and
// of a run without phases.
func nextPhase(m *Model) *phaseAhead {
	left := unfinished(m, len(m.steps))
	if m.of.Flow.Strategy == nil || len(left) == 0 {
		return nil
	}
	for i, p := range m.of.Flow.Strategy.Phases {
		steps := only(left, func(s *step) bool { return slices.Contains(p.Steps, s.Address) })
		if len(steps) > 0 {
			return &phaseAhead{i + 1, len(m.of.Flow.Strategy.Phases), p.Name, steps}
		}
	}
	return nil
}

// carriedOut is what a phase that is over came to.
func carriedOut(p history.PhaseOver) string {
	if p.Left > 0 {
		return fmt.Sprintf("%d of %s completed", p.Completed, count(p.Completed+p.Left, "step", "steps"))
	}
	return count(p.Completed, "step", "steps") + " completed"
}

// testsFirst is how many of the steps that are left write their test first.
func testsFirst(m *Model) (n int) {
	for _, t := range m.plan.Tasks {
		for i := range t.Steps {
			s := m.of.Step(t.Steps[i].Address)
			if m.of.Started.TestFirst && s != nil && !s.Status.Over() &&
				len(flow.CycleOf(m.plan, &t, &t.Steps[i], m.of.Flow.Strategy).Phases) > 0 {
				n++
			}
		}
	}
	return n
}
