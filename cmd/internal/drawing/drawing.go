// Package drawing draws the graph of a plan.
package drawing

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/plan"
)

// An edge says that one task comes before another.
type edge struct {
	from, to int // indexes of tasks
	dotted   bool
}

// edges follow from what tasks and speclets depend on.
func edges(p *plan.Plan) []edge {
	index := map[string]int{}
	for i := range p.Tasks {
		if _, twice := index[p.Tasks[i].ID]; !twice {
			index[p.Tasks[i].ID] = i
		}
	}
	var all []edge
	for i := range p.Tasks {
		for _, id := range p.Tasks[i].DependsOn {
			if from, ok := index[id]; ok {
				all = append(all, edge{from: from, to: i})
			}
		}
	}
	for _, s := range p.Speclets {
		for _, id := range s.DependsOn {
			other := specletOf(p, id)
			if other == nil {
				continue
			}
			for _, a := range other.Tasks {
				for _, b := range s.Tasks {
					from, ok1 := index[a]
					to, ok2 := index[b]
					if ok1 && ok2 {
						all = append(all, edge{from, to, true})
					}
				}
			}
		}
	}
	return all
}

// A box is a step as a picture shows it.
type box struct{ node, label string }

// boxes are the steps of a task as they are drawn, with their texts quoted as
// the format of the drawing wants it.
func boxes(t *plan.Task, i int, quote func(string) string) []box {
	list := make([]box, len(t.Steps))
	for j := range t.Steps {
		s := &t.Steps[j]
		list[j] = box{fmt.Sprintf("s%d_%d", i+1, j+1),
			quote(safetext.Clip(fmt.Sprintf("%s %s", s.Address, s.Description), 60))}
	}
	return list
}

// Mermaid draws tasks as groups of steps, for Markdown that is rendered.
func Mermaid(p *plan.Plan) string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for i := range p.Tasks {
		t := &p.Tasks[i]
		fmt.Fprintf(&b, "  subgraph t%d[\"%s\"]\n", i+1, mermaidText(taskLabel(t)))
		list := boxes(t, i, mermaidText)
		for _, s := range list {
			fmt.Fprintf(&b, "    %s[\"%s\"]\n", s.node, s.label)
		}
		for j := 1; j < len(list); j++ {
			fmt.Fprintf(&b, "    %s --> %s\n", list[j-1].node, list[j].node)
		}
		b.WriteString("  end\n")
	}
	for _, e := range edges(p) {
		arrow := "-->"
		if e.dotted {
			arrow = "-.->"
		}
		fmt.Fprintf(&b, "  t%d %s t%d\n", e.from+1, arrow, e.to+1)
	}
	return b.String()
}

// DOT draws the same for Graphviz.
func DOT(p *plan.Plan) string {
	var b strings.Builder
	b.WriteString("digraph plan {\n  compound=true\n  node [shape=box]\n")
	for i := range p.Tasks {
		t := &p.Tasks[i]
		fmt.Fprintf(&b, "  subgraph cluster_t%d {\n    label=\"%s\"\n", i+1, dotText(taskLabel(t)))
		list := boxes(t, i, dotText)
		if len(list) == 0 {
			list = []box{{fmt.Sprintf("s%d_0", i+1), "no steps"}}
		}
		for _, s := range list {
			fmt.Fprintf(&b, "    %s [label=\"%s\"]\n", s.node, s.label)
		}
		for j := 1; j < len(list); j++ {
			fmt.Fprintf(&b, "    %s -> %s\n", list[j-1].node, list[j].node)
		}
		b.WriteString("  }\n")
	}
	for _, e := range edges(p) {
		style := ""
		if e.dotted {
			style = ", style=dashed"
		}
		fmt.Fprintf(&b, "  %s -> %s [ltail=cluster_t%d, lhead=cluster_t%d%s]\n",
			node(p, e.from, true), node(p, e.to, false), e.from+1, e.to+1, style)
	}
	b.WriteString("}\n")
	return b.String()
}

// node is the last or the first step of a task.
func node(p *plan.Plan, i int, last bool) string {
	n := len(p.Tasks[i].Steps)
	if n > 0 && !last {
		n = 1
	}
	return fmt.Sprintf("s%d_%d", i+1, n)
}

// taskLabel is what a task is called in a drawing: its id, and its title where
// it has one.
func taskLabel(t *plan.Task) string {
	return safetext.Clip(strings.TrimSpace(t.ID+" "+cmp.Or(t.Title, t.Description)), 60)
}

// mermaidText writes every character that means something to Mermaid, or to the
// HTML that it makes, as a number.
func mermaidText(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\"#;&<>`\\[]{}()|", r) {
			fmt.Fprintf(&b, "#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// dotText escapes text within the quotes of dot.
func dotText(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)
}
