package ending

import (
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// lasting are the postconditions of accepted steps that are decided once more
// about the final tree: those of steps that left another one. What a later step
// says something else of is left to that one.
func (e *Ending) lasting(final ledger.Digest) []gate.Lasting {
	essential := e.Plan.Essential()
	var all []gate.Lasting
	var later []*plan.Step // accepted after the one that is looked at, the last first
	var since []plan.Address
	for _, s := range slices.Backward(e.accepted()) {
		task, step := e.Judging.At(s.Address)
		if step == nil {
			continue
		}
		step = s.Granted(step)
		if s.Left().Tree != final {
			l := gate.Lasting{Task: task, Step: step, Essential: essential(step), Since: slices.Clone(since)}
			slices.Reverse(l.Since)
			for _, c := range step.Postconditions {
				if c.Lasts() && !slices.ContainsFunc(later, func(by *plan.Step) bool { return by.TakesOver(s.Address, c) }) {
					l.Checks = append(l.Checks, c)
				}
			}
			if len(l.Checks) > 0 {
				all = append(all, l)
			}
		}
		later = append(later, step)
		if made := s.Account(); made != nil && len(made.Changes) > 0 {
			since = append(since, s.Address)
		}
	}
	slices.Reverse(all)
	return all
}

// accepted are the steps whose work is part of the tree: those that were taken
// over, and then those that were completed, in the order in which they ended.
func (e *Ending) accepted() []*history.Step {
	var steps []*history.Step
	for _, s := range e.Rec.Run.Steps {
		if s.Carried != nil {
			steps = append(steps, s)
		}
	}
	for _, s := range e.Rec.Run.Concluded() {
		if s.Completed != nil {
			steps = append(steps, s)
		}
	}
	return steps
}
