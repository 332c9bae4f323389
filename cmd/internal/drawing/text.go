package drawing

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/plan"
)

// Text lists the stages and what is in them, then what is in cycles.
func Text(p *plan.Plan) string {
	var b strings.Builder
	graph := p.Graph()
	for i, stage := range graph.Stages {
		fmt.Fprintf(&b, "stage %d\n", i+1)
		for _, id := range stage {
			if s := specletOf(p, id); s != nil {
				fmt.Fprintf(&b, "  speclet %s%s%s\n", safetext.Escape(id), after(s.DependsOn), textOf(s.Description))
				for _, t := range s.Tasks {
					writeTask(&b, p, t, "    ")
				}
				continue
			}
			writeTask(&b, p, id, "  ")
		}
	}
	for _, cycle := range graph.Cycles {
		fmt.Fprintf(&b, "cycle    %s\n", safetext.Escape(strings.Join(cycle, " → ")))
	}
	return b.String()
}

// writeTask writes a task and its steps, each on a line.
func writeTask(b *strings.Builder, p *plan.Plan, id, indent string) {
	t := taskOf(p, id)
	if t == nil {
		return
	}
	fmt.Fprintf(b, "%stask %s%s%s\n", indent, safetext.Escape(t.ID), after(t.DependsOn),
		textOf(cmp.Or(t.Title, t.Description)))
	for i := range t.Steps {
		fmt.Fprintf(b, "%s  %-5s %s\n", indent, safetext.Escape(string(t.Steps[i].Address)),
			safetext.Clip(t.Steps[i].Description, 80))
	}
}

// after says which tasks come before; "" where none does.
func after(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return " after " + safetext.Escape(strings.Join(ids, ", "))
}

// textOf is a text of the plan on one line, as a terminal may show it.
func textOf(text string) string {
	if text == "" {
		return ""
	}
	return "  " + safetext.Clip(text, 80)
}

// taskOf is the task of an id, or nil.
func taskOf(p *plan.Plan, id string) *plan.Task {
	for i := range p.Tasks {
		if p.Tasks[i].ID == id {
			return &p.Tasks[i]
		}
	}
	return nil
}

// specletOf finds a speclet; nil in a plan without speclets, whose stages are
// of tasks.
func specletOf(p *plan.Plan, id string) *plan.Speclet {
	for i := range p.Speclets {
		if p.Speclets[i].ID == id {
			return &p.Speclets[i]
		}
	}
	return nil
}
