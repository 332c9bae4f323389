package analysis

import (
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// A Rate is a share of a total.
type Rate struct{ N, Of int }

// Value is the share, 0 where there is no total.
func (r Rate) Value() float64 {
	if r.Of == 0 {
		return 0
	}
	return float64(r.N) / float64(r.Of)
}

// rowOf is a step of the plan and what became of it.
type rowOf struct {
	task *plan.Task
	step *plan.Step
	was  *history.Step
	run  *history.Run
}

// rows are the steps of the plan that the run knows, in the plan's order.
func rows(p *plan.Plan, r *history.Run) []rowOf {
	var all []rowOf
	for i := range p.Tasks {
		t := &p.Tasks[i]
		for j := range t.Steps {
			if was := r.Step(t.Steps[j].Address); was != nil {
				all = append(all, rowOf{t, &t.Steps[j], was, r})
			}
		}
	}
	return all
}

// attempts are all attempts of a step, those before a rollback included.
func attempts(s *history.Step) []*history.Attempt {
	return append(append([]*history.Attempt(nil), s.Undone...), s.Attempts...)
}
