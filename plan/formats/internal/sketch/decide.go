package sketch

import (
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/decidable"
)

// decide has a machine decide what it can of what is written for people: criteria
// that name a command, and files that a step is told to make or to delete.
func (s *Sketch) decide() {
	for i := range s.Plan.Tasks {
		t := &s.Plan.Tasks[i]
		for _, text := range t.AcceptanceCriteria {
			if f := decidable.Of(text); len(f.Words) == 0 {
				s.End(i, f.Checks...)
			}
		}
		if len(t.Steps) == 0 {
			s.End(i, decidable.Derived(t.Title, t.Description)...)
		}
		for j := range t.Steps {
			step := &t.Steps[j]
			step.Postconditions = append(step.Postconditions, decidable.Passing(step.Prompt)...)
			for _, c := range decidable.Derived(step.Description, step.Prompt) {
				if !named(step.Postconditions, c) {
					step.Postconditions = append(step.Postconditions, c)
				}
			}
		}
	}
}

// named reports whether a check stands in a list already, in the plan's own
// words.
func named(list []plan.Check, c plan.Check) bool {
	for _, have := range list {
		if have.Kind == c.Kind && have.Path == c.Path {
			return true
		}
	}
	return false
}
