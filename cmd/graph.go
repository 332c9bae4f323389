package cmd

import (
	"bytes"
	"context"
	"fmt"

	"github.com/planlock/planlock/cmd/internal/drawing"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats"
)

// graphCommand is "planlock graph": it draws the tasks of a plan and what they
// wait for. A plan with errors is drawn as far as it was read, with a warning
// on standard error: a picture is a good way to find a cycle.
type graphCommand struct {
	arguments
	Format string `enum:"text,mermaid,dot" default:"text" placeholder:"FORMAT" help:"the output's format: text, mermaid or dot"`
}

// Run carries the command out.
func (f *graphCommand) Run(_ context.Context, p *cli) error {
	draft, found, err := p.judge(f.Args[0], plan.CheckOptions{})
	if err != nil {
		return err
	}
	errors, _, _ := plan.Tally(found)
	if draftIsEmpty(draft) {
		return p.refuse(draft, found)
	}
	draw := map[string]func(*plan.Plan) string{"text": drawing.Text, "mermaid": drawing.Mermaid,
		"dot": drawing.DOT}[f.Format]
	drawn := draft.Plan
	// in the order in which they are carried out
	if draft.Format == plan.PendingActions || draft.Format == plan.SpecPair {
		drawn.Tasks = nil
		for _, i := range draft.Plan.TasksInOrder(draft.Plan.Sequence(draft.Format)) {
			drawn.Tasks = append(drawn.Tasks, draft.Plan.Tasks[i])
		}
	}
	if _, err := fmt.Fprint(p.out, draw(&drawn)); err != nil {
		return err
	}
	if errors > 0 {
		p.warnOfErrors(errors, f.Args[0])
	}
	return nil
}

// convertCommand is "planlock convert": it writes a plan of any format in the
// native one. It writes nothing of a plan with errors unless it is forced to,
// because what was not understood would be missing without a word. The workspace
// tells files that are there, and so are modified, from those that are to be
// created. How much is left to a person is said beside it.
type convertCommand struct {
	arguments
	To    string `enum:"native" default:"native" placeholder:"FORMAT" help:"the format to write: native"`
	Out   string `short:"o" name:"output" placeholder:"FILE" help:"write to a file instead of standard output"`
	Dir   string `default:"." placeholder:"FOLDER" help:"the workspace in which a file is looked for: what is there already is changed, and else made"`
	Force bool   `help:"convert a plan with errors too, as far as it was read"`
}

// Run carries the command out.
func (f *convertCommand) Run(_ context.Context, p *cli) error {
	draft, found, err := p.judge(f.Args[0], plan.CheckOptions{})
	if err != nil {
		return err
	}
	errors, _, _ := plan.Tally(found)
	if draftIsEmpty(draft) || errors > 0 && !f.Force {
		return p.refuse(draft, found)
	}
	text, err := formats.Native(draft, formats.NativeOptions{Dir: f.Dir, Force: f.Force})
	if err != nil {
		return err
	}
	if errors > 0 {
		p.warnOfErrors(errors, f.Args[0])
	}
	if n := bytes.Count(text, []byte("# decide: ")); n > 0 && draft.Format != plan.Native {
		p.warn("%s with \"decide:\" in what was written: a person says there what the source leaves open", plural(n, "comment"))
	}
	if f.Out != "" {
		return streamFile(f.Out, writing(text))
	}
	_, err = p.out.Write(text)
	return err
}
