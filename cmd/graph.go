package cmd

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/cmd/internal/drawing"
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
	draw := map[string]func(*plan.Plan) string{"text": drawing.Text, "mermaid": drawing.Mermaid,
		"dot": drawing.DOT}[f.Format]
	if _, err := fmt.Fprint(p.out, draw(&draft.Plan)); err != nil {
		return err
	}
	if errors > 0 {
		p.warnOfErrors(errors, f.Args[0])
	}
	return nil
}

// convertCommand is "planlock convert".
type convertCommand struct {
	arguments
	To    string `enum:"native" default:"native" placeholder:"FORMAT" help:"the format to write: native"`
	Out   string `short:"o" name:"output" placeholder:"FILE" help:"write to a file instead of standard output"`
	Dir   string `placeholder:"FOLDER" help:"look into a workspace whether a file is there already, and so is changed and not made"`
	Force bool   `help:"convert a plan with errors too, as far as it was read"`
}

// Run carries the command out.
func (f *convertCommand) Run(_ context.Context, p *cli) error {
	draft, err := formats.ReadFile(f.Args[0])
	if err != nil {
		d, status := unreadable(f.Args[0], err)
		d.Format(p.err, nil)
		return &quietError{status}
	}
	found := draft.Check(plan.CheckOptions{})
	errors, _, _ := count(found)
	if draftIsEmpty(draft) || errors > 0 && !f.Force {
		q := &cli{out: p.err, err: p.err}
		q.printDiagnostics(draft, found)
		q.printVerdict(draft, found)
		return &quietError{statusRefused}
	}
	text, err := formats.Native(draft, formats.NativeOptions{Dir: f.Dir, Force: f.Force})
	if err != nil {
		return err
	}
	if errors > 0 {
		p.warnOfErrors(errors, f.Args[0])
	}
	if f.Out != "" {
		return writeFile(f.Out, text)
	}
	_, err = p.out.Write(text)
	return err
}
