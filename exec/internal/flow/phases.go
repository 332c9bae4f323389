package flow

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/plan"
)

// stepsOfAPhase is how many steps a phase has where nothing else says how many
// phases there are.
const stepsOfAPhase = 4

// nameKept is how much of what the plan calls a phase is part of its name, in
// bytes.
const nameKept = 200

// Phases are the parts of an orchestrated run. A plan with several speclets, or
// else with several tasks, has one for each of them that has steps among those
// given, named by its id and by what the plan calls it. Else the steps are cut
// into 2 to 3 phases of like size at complexity 3, 3 to 4 at 4, and 4 to 5 at 5:
// as many as give each four steps, and never more than there are steps.
func Phases(p *plan.Plan, steps []history.Outline, complexity int) []history.Phase {
	named := map[string]string{}
	for _, t := range p.Tasks {
		named[t.ID] = called("task "+t.ID, cmp.Or(t.Title, t.Description))
	}
	if len(p.Speclets) > 1 {
		for _, s := range p.Speclets {
			for _, t := range s.Tasks {
				named[t] = called("speclet "+s.ID, s.Description)
			}
		}
	}
	var phases []history.Phase
	at := map[string]int{}
	for _, s := range steps {
		name := named[s.Task]
		i, ok := at[name]
		if !ok {
			i = len(phases)
			at[name] = i
			phases = append(phases, history.Phase{Name: name})
		}
		phases[i].Steps = append(phases[i].Steps, s.Address)
	}
	if len(phases) > 1 {
		return phases
	}
	return cut(steps, complexity)
}

// called is an id with what the plan calls it, where it says that.
func called(id, text string) string {
	if text = strings.TrimSpace(bound.FirstLine(strings.TrimSpace(text))); text == "" {
		return id
	}
	return id + ": " + bound.Text(text, nameKept)
}

// cut divides steps into phases of like size.
func cut(steps []history.Outline, complexity int) []history.Phase {
	low := max(complexity, orchestratedFrom) - 1
	n := min(max((len(steps)+stepsOfAPhase-1)/stepsOfAPhase, low), low+1, len(steps))
	phases := make([]history.Phase, n)
	for i := range phases {
		phases[i].Name = numbered(i)
		for _, s := range steps[i*len(steps)/n : (i+1)*len(steps)/n] {
			phases[i].Steps = append(phases[i].Steps, s.Address)
		}
	}
	return phases
}

// numbered is the name of a phase that the plan does not call anything.
func numbered(i int) string { return fmt.Sprintf("phase %d", i+1) }

// PhaseOver is what is to be recorded of the first phase that is over and was
// not recorded, or nil. The checkpoint is left to the caller.
func PhaseOver(run *history.Run) *history.PhaseOver {
	set, n := run.Flow.Strategy, run.UnsaidPhase()
	if n == 0 {
		return nil
	}
	phase := set.Phases[n-1]
	over := &history.PhaseOver{Phase: phase.Name, Number: n, Of: len(set.Phases)}
	for _, a := range phase.Steps {
		if run.Step(a).Stands() == history.Completed {
			over.Completed++
		} else {
			over.Left++
		}
	}
	return over
}

const (
	// orchestratedFrom is the complexity from which on a run has phases.
	orchestratedFrom = 3
	// switchAt is how many levels harder than planned a direct run must have
	// turned out to be to get phases.
	switchAt = 2
)
