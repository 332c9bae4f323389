package sketch

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/decidable"
)

// decide has a machine decide what it can of what is written for people: criteria
// that name a command, and files that a step is told to make or to delete.
func (s *Sketch) decide() {
	for i := range s.Plan.Tasks {
		t := &s.Plan.Tasks[i]
		for _, text := range t.AcceptanceCriteria {
			f := decidable.Of(text)
			if len(f.Words) == 0 {
				s.End(i, f.Checks...)
			}
			for _, run := range f.NotRun {
				s.NotRun(s.criteriaAt(i), t.ID, fmt.Sprintf("task %q", t.ID), run)
			}
		}
		if len(t.Steps) == 0 {
			s.End(i, decidable.Derived(t.Title, t.Description)...)
		}
		for j := range t.Steps {
			step := &t.Steps[j]
			derived := decidable.Derived(step.Description, step.Prompt)
			for _, c := range append(decidable.Passing(step.Prompt), derived...) {
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
		if have.Kind == c.Kind && have.Path == c.Path && have.Run == c.Run {
			return true
		}
	}
	return false
}

// criteriaAt is where the i-th task says when it is done, or else the task.
func (s *Sketch) criteriaAt(i int) plan.Position {
	key := fmt.Sprintf("tasks[%d]", i)
	if at, ok := s.Places[key+".acceptance_criteria"]; ok {
		return at
	}
	return s.Places[key]
}

// NotRun warns of a command that says how a task, or a step of it, is verified,
// and that is not run; who names what is verified.
func (s *Sketch) NotRun(at plan.Position, task, who, text string) {
	line, _, more := strings.Cut(text, "\n")
	if more {
		line += " …"
	}
	s.Report("verify-not-run", plan.Warning, at, task,
		fmt.Sprintf("%s: a command is not run, as words say what it is to print: %s", who, line),
		"write a command that fails where it does not hold, as in  `! grep -rn TODO src`")
}

// Misspelt warns of a label that means nothing as it is spelled: what it says is
// no check, and orders nothing.
func (s *Sketch) Misspelt(at plan.Position, task, who, said, label string) {
	if strings.Contains(said, "_") {
		label = strings.ReplaceAll(label, " ", "_")
	}
	if said[0] < 'a' {
		label = strings.ToUpper(label[:1]) + label[1:]
	}
	s.Report("label-misspelt", plan.Warning, at, task,
		fmt.Sprintf("%s: %q is no label, so that nothing comes of what it says", who, said), "write  "+label)
}
