package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/safetext"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats"
)

// graphCommand is "planlock graph".
type graphCommand struct {
	arguments
	Format string `enum:"text,mermaid,dot" default:"text" placeholder:"FORMAT" help:"the output's format: text, mermaid or dot"`
}

// Run carries the command out.
func (f *graphCommand) Run(_ context.Context, p *cli) error {
	draft, err := formats.ReadFile(f.Args[0])
	if err != nil {
		d, status := unreadable(f.Args[0], err)
		d.Format(p.err, nil)
		return &quietError{status}
	}
	found := draft.Check(plan.CheckOptions{})
	errors, _, _ := count(found)
	if draftIsEmpty(draft) {
		q := &cli{out: p.err, err: p.err}
		q.printDiagnostics(draft, found)
		q.printVerdict(draft, found)
		return &quietError{statusRefused}
	}
	draw := map[string]func(*plan.Plan) string{"text": graphText, "mermaid": graphMermaid, "dot": graphDot}[f.Format]
	if _, err := fmt.Fprint(p.out, draw(&draft.Plan)); err != nil {
		return err
	}
	if errors > 0 {
		p.warnOfErrors(errors, f.Args[0])
	}
	return nil
}

// warnOfErrors says that what was printed is of a plan with errors.
func (p *cli) warnOfErrors(errors int, path string) {
	fmt.Fprintf(p.err, "planlock: warning: the plan has %s; planlock check %s shows them\n", plural(errors, "error"), quoted(path))
}

// graphText lists the stages and what is in them, then what is in cycles.
func graphText(p *plan.Plan) string {
	var b strings.Builder
	graph := p.Graph()
	for i, stage := range graph.Stages {
		fmt.Fprintf(&b, "stage %d\n", i+1)
		for _, id := range stage {
			if s := specletOf(p, id); s != nil {
				fmt.Fprintf(&b, "  speclet %s%s%s\n", escaped(id), after(s.DependsOn), textOf(s.Description))
				for _, t := range s.Tasks {
					writeTask(&b, p, t, "    ")
				}
				continue
			}
			writeTask(&b, p, id, "  ")
		}
	}
	for _, cycle := range graph.Cycles {
		fmt.Fprintf(&b, "cycle    %s\n", escaped(strings.Join(cycle, " → ")))
	}
	return b.String()
}

func writeTask(b *strings.Builder, p *plan.Plan, id, indent string) {
	t := taskOf(p, id)
	if t == nil {
		return
	}
	fmt.Fprintf(b, "%stask %s%s%s\n", indent, escaped(t.ID), after(t.DependsOn), textOf(orElse(t.Title, t.Description)))
	for i := range t.Steps {
		fmt.Fprintf(b, "%s  %-5s %s\n", indent, escaped(string(t.Steps[i].Address)), safetext.Clip(t.Steps[i].Description, 80))
	}
}

func after(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return " after " + escaped(strings.Join(ids, ", "))
}

func textOf(text string) string {
	if text == "" {
		return ""
	}
	return "  " + safetext.Clip(text, 80)
}

func taskOf(p *plan.Plan, id string) *plan.Task {
	for i := range p.Tasks {
		if p.Tasks[i].ID == id {
			return &p.Tasks[i]
		}
	}
	return nil
}

// specletOf finds a speclet; nil in a plan without speclets, whose stages are of tasks.
func specletOf(p *plan.Plan, id string) *plan.Speclet {
	for i := range p.Speclets {
		if p.Speclets[i].ID == id {
			return &p.Speclets[i]
		}
	}
	return nil
}
