package plan

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/plan/internal/hidden"
	"github.com/planlock/planlock/plan/internal/network"
)

// Text draws the order of the work for people: stages, tasks and steps, one
// line each.
func (p *Plan) Text() string {
	var b strings.Builder
	g := p.Graph()
	fmt.Fprintf(&b, "%s\n", hidden.Escape(p.Goal))
	what := "tasks"
	if len(p.Speclets) > 0 {
		what = "speclets"
	}
	for i, stage := range g.Stages {
		fmt.Fprintf(&b, "stage %d: %s %s\n", i+1, what, hidden.Escape(strings.Join(stage, ", ")))
	}
	for _, cycle := range g.Cycles {
		fmt.Fprintf(&b, "cycle: %s\n", hidden.Escape(chain(cycle)))
	}
	at := map[Address]place{}
	for i, t := range p.Tasks {
		for j, s := range t.Steps {
			if _, ok := at[s.Address]; !ok {
				at[s.Address] = place{i, j}
			}
		}
	}
	last := -1
	for _, a := range g.Order {
		where := at[a]
		t := &p.Tasks[where.task]
		if where.task != last {
			fmt.Fprintf(&b, "\n%s  %s%s\n", hidden.Escape(t.ID), hidden.Escape(t.label()), after(t.DependsOn))
			last = where.task
		}
		s := &t.Steps[where.step]
		fmt.Fprintf(&b, "  %s  %s%s\n", hidden.Escape(string(a)), hidden.Escape(s.Description), s.remarks())
	}
	return b.String()
}

func (t *Task) label() string {
	if t.Title != "" {
		return t.Title
	}
	return t.Description
}

func after(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return hidden.Escape("  (after " + strings.Join(ids, ", ") + ")")
}

// remarks says what sets a step apart.
func (s *Step) remarks() string {
	var words []string
	if n := len(s.Backups); n > 0 {
		words = append(words, count(n, "backup"))
	}
	if s.Rollback == Irreversible {
		words = append(words, "irreversible")
	}
	if s.SemanticChange == Modifying || s.SemanticChange == Breaking {
		words = append(words, string(s.SemanticChange))
	}
	if len(words) == 0 {
		return ""
	}
	return "  [" + strings.Join(words, ", ") + "]"
}

// Mermaid draws the plan's graph as a Mermaid flowchart: a box for every task
// with its steps, arrows from what comes before. Names of nodes are numbers, so
// that no id of a plan can end a label.
func (p *Plan) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	p.draw(&b, sketch{
		open: func(name, label string) string {
			return fmt.Sprintf("subgraph %s[\"%s\"]\n", name,
				mermaidText(label))
		},
		close: "end\n",
		node:  func(name, label string) string { return fmt.Sprintf("%s[\"%s\"]\n", name, mermaidText(label)) },
		edge:  func(from, to string) string { return fmt.Sprintf("%s --> %s\n", from, to) },
	})
	return b.String()
}

// Dot draws the plan's graph in the language of Graphviz.
func (p *Plan) Dot() string {
	var b strings.Builder
	b.WriteString("digraph plan {\n  rankdir=TB; compound=true; node [shape=box];\n")
	p.draw(&b, sketch{
		open: func(name, label string) string {
			return fmt.Sprintf("subgraph cluster_%s { label=%s; %s [shape=point, style=invis];\n", name,
				dotText(label), name)
		},
		close: "}\n",
		node:  func(name, label string) string { return fmt.Sprintf("%s [label=%s];\n", name, dotText(label)) },
		edge:  func(from, to string) string { return fmt.Sprintf("%s -> %s;\n", from, to) },
	})
	b.WriteString("}\n")
	return b.String()
}

// A sketch is how one language draws.
type sketch struct {
	open, node func(name, label string) string
	edge       func(from, to string) string
	close      string
}

func (p *Plan) draw(b *strings.Builder, s sketch) {
	member := map[string]int{}
	for i, sp := range p.Speclets {
		for _, id := range sp.Tasks {
			if _, ok := member[id]; !ok {
				member[id] = i
			}
		}
	}
	byPart := make([][]int, len(p.Speclets)+1)
	for i, t := range p.Tasks {
		part, ok := member[t.ID]
		if !ok {
			part = len(p.Speclets)
		}
		byPart[part] = append(byPart[part], i)
	}
	for part, tasks := range byPart {
		indent := "  "
		if part < len(p.Speclets) {
			sp := p.Speclets[part]
			b.WriteString("  " + s.open(fmt.Sprintf("g%d", part), strings.TrimSpace(sp.ID+"  "+sp.Description)))
			indent = "    "
		}
		for _, i := range tasks {
			p.drawTask(b, s, indent, i)
		}
		if part < len(p.Speclets) {
			b.WriteString("  " + s.close)
		}
	}
	edges := func(g *network.Graph, prefix string) {
		for i, needs := range g.Needs {
			for _, j := range needs {
				b.WriteString("  " + s.edge(fmt.Sprintf("%s%d", prefix, j), fmt.Sprintf("%s%d", prefix, i)))
			}
		}
	}
	edges(p.taskGraph(), "t")
	edges(p.specletGraph(), "g")
}

func (p *Plan) drawTask(b *strings.Builder, s sketch, indent string, i int) {
	t := &p.Tasks[i]
	b.WriteString(indent + s.open(fmt.Sprintf("t%d", i), t.ID+"  "+t.label()))
	for j, step := range t.Steps {
		b.WriteString(indent + "  " + s.node(fmt.Sprintf("s%d_%d", i, j), string(step.Address)+"  "+step.Description))
		if j > 0 {
			b.WriteString(indent + "  " + s.edge(fmt.Sprintf("s%d_%d", i, j-1), fmt.Sprintf("s%d_%d", i, j)))
		}
	}
	b.WriteString(indent + s.close)
}

// mermaidText escapes what ends a label or begins markup in it, as numbered
// entities.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range hidden.Escape(s) {
		if strings.ContainsRune("\"`<>&#[](){}|;\\", r) {
			fmt.Fprintf(&b, "#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(hidden.Escape(s)) + `"`
}
