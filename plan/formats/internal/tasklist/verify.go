package tasklist

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/decidable"
	"github.com/planlock/planlock/plan/formats/internal/labels"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// verify has a machine decide what it can of what stands below items about how
// they are verified, as in the tasks of phase plans: behind "Verify:",
// "Acceptance criteria:" and the like. What is left is a criterion of the task, or
// what is expected of the step.
func (l *list) verify() {
	for i := range l.Plan.Tasks {
		t := &l.Plan.Tasks[i]
		l.labelsOf(part{i, -1}, t.Description)
		for j := range t.Steps {
			at := part{i, j}
			l.labelsOf(at, t.Steps[j].Prompt)
			t.Steps[j].ExpectedOutput = strings.Join(l.words[at], "\n")
		}
	}
}

// labelsOf reads what is said below a task or a step: on lines of the file, or in
// a text of JSON.
func (l *list) labelsOf(at part, text string) {
	if b := l.bodies[at]; b != nil {
		l.labels(at, l.t, b.lines)
	} else if strings.ContainsAny(text, ":#*") {
		l.labels(at, outline.New("", []byte(text)), nil)
	}
}

// labels reads lines of a text about a task or a step; nil are all lines of a text
// that stands in the file in another spelling.
func (l *list) labels(at part, text *outline.Text, lines []int) {
	span := slices.Values(lines)
	if lines == nil {
		span = labels.Span(0, len(text.Lines))
	}
	placed := func(line int) plan.Position {
		if lines != nil {
			return l.t.At(line)
		}
		return l.place(at)
	}
	for i := range span {
		said, label := labels.Misspelt(text.Line(i))
		if f := (labels.Field{Label: label}); !text.Lines[i].Hidden && (f.Verify() || f.Acceptance()) {
			l.Misspelt(placed(i), l.Plan.Tasks[at.task].ID, l.name(at), said, label)
		}
	}
	labels.Each(text, span, func(f *labels.Field) {
		place := placed(f.Line)
		switch {
		case f.Acceptance():
			list, prose := labels.Criteria(f.Lines)
			if len(list) == 0 && prose != "" {
				list = []string{prose}
			}
			l.criteria(at, list, place)
		case f.Verify():
			l.verified(at, decidable.Of(f.Text()), place)
		}
	})
}

// criteria adds what must hold when a task or a step is done. A task's are
// decided with those of all formats.
func (l *list) criteria(at part, list []string, place plan.Position) {
	if at.step < 0 {
		t := &l.Plan.Tasks[at.task]
		key := fmt.Sprintf("tasks[%d].acceptance_criteria", at.task)
		if _, ok := l.Places[key]; !ok && len(list) > 0 {
			l.Places[key] = place
		}
		t.AcceptanceCriteria = append(t.AcceptanceCriteria, list...)
		return
	}
	for _, text := range list {
		f := decidable.Of(text)
		if len(f.Words) > 0 {
			f.Checks, f.Words = nil, []string{text}
		}
		l.verified(at, f, place)
	}
}

// verified adds what a text about verifying a task or a step comes to.
func (l *list) verified(at part, f decidable.Found, place plan.Position) {
	t := &l.Plan.Tasks[at.task]
	if at.step < 0 {
		l.End(at.task, f.Checks...)
		l.criteria(at, f.Words, place) // of which a command that is not run is told there
	} else {
		s := &t.Steps[at.step]
		s.Postconditions = append(s.Postconditions, f.Checks...)
		l.words[at] = append(l.words[at], f.Words...)
	}
	for _, text := range f.NotRun {
		if at.step >= 0 || !slices.Contains(f.Words, text) {
			l.NotRun(place, t.ID, l.name(at), text)
		}
	}
}

// place is where a task or a step stands.
func (l *list) place(at part) plan.Position {
	key := fmt.Sprintf("tasks[%d]", at.task)
	if at.step >= 0 {
		key += fmt.Sprintf(".steps[%d]", at.step)
	}
	return l.Places[key]
}

// name is what messages call a task or a step.
func (l *list) name(at part) string {
	t := &l.Plan.Tasks[at.task]
	if at.step < 0 {
		return fmt.Sprintf("task %q", t.ID)
	}
	return fmt.Sprintf("step %q of task %q", t.Steps[at.step].ID, t.ID)
}
