package cmd

import (
	"context"
	"fmt"
	"os"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/plan"
)

// alreadyJSON is a step of "check --dir" whose work seems to be there.
type alreadyJSON struct {
	Step        plan.Address `json:"step"`
	Acknowledge string       `json:"acknowledge"` // behind --ack it leaves the step out
	Evidence    []string     `json:"evidence"`
}

// alreadyIn lists the steps whose work is in a workspace already; none where no workspace was named.
func alreadyIn(ctx context.Context, draft *plan.Draft, dir string) ([]exec.Already, error) {
	if dir == "" || draftIsEmpty(draft) {
		return nil, nil
	}
	return (&exec.Controller{Dir: dir}).Already(ctx, draft)
}

// alreadyDocument is null where no workspace was named.
func alreadyDocument(done []exec.Already, dir string) *[]alreadyJSON {
	if dir == "" {
		return nil
	}
	list := []alreadyJSON{}
	for _, a := range done {
		list = append(list, alreadyJSON{a.Step, a.Code, a.Evidence})
	}
	return &list
}

func (p *cli) printAlready(draft *plan.Draft, done []exec.Already, dir string) {
	if dir == "" {
		return
	}
	fmt.Fprintln(p.out)
	if len(done) == 0 {
		fmt.Fprintf(p.out, "Nothing of it is in %s already.\n", escaped(dir))
		return
	}
	how := ":"
	if file, err := lockPath(draft, ""); err == nil {
		if _, err := os.Lstat(file); err == nil { // run goes by what it says
			how = ", lock the plan again with"
		}
	}
	fmt.Fprintf(p.out, "Already there, in %s:\n", escaped(dir))
	for _, a := range done {
		title := ""
		if _, s, ok := draft.Plan.Step(a.Step); ok {
			title = textOf(s.Description)
		}
		fmt.Fprintf(p.out, "  %s%s\n", escaped(string(a.Step)), title)
		for _, line := range a.Evidence {
			fmt.Fprintf(p.out, "       %s\n", escaped(line))
		}
		fmt.Fprintf(p.out, "       to leave it out%s --ack %s\n", how, quoted(a.Code))
	}
}
