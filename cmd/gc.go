package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
)

// gcCommand is "planlock gc".
type gcCommand struct {
	arguments
	workspaceFlag
	DryRun bool `help:"only says what would be freed"`
}

// Run carries the command out.
func (f *gcCommand) Run(ctx context.Context, p *cli) error {
	ws := p.workspace(f.Dir)
	freed, runs, err := ws.Collect(ctx, f.DryRun)
	if err == nil {
		fmt.Fprint(p.out, collected(freed, runs, f.DryRun))
	}
	return placed(p.nothingKept(err), f.Dir, "", nil)
}

// nothingKept tells that a workspace keeps nothing, if that is the error; any other it returns.
func (p *cli) nothingKept(err error) error {
	if errors.Is(err, exec.ErrNothingKept) {
		_, err = fmt.Fprintln(p.out, "Nothing is kept here: no plan has been run yet.")
	}
	return err
}

// collected says what was freed, and what stays for a number of runs.
func collected(c checkpoint.Collected, runs int, dryRun bool) string {
	verb, was, were := "Freed", "was", "were"
	if dryRun {
		verb, was, were = "Would free", "would be", "would be"
	}
	text := fmt.Sprintf("%s %s: ", verb, plural(c.Bytes, "byte"))
	if c.Contents > 0 {
		text += fmt.Sprintf("%s of files and folders that no run here needs any more.\n", plural(c.Contents, "content"))
	} else {
		text += "there is no content that no run here needs.\n"
	}
	if c.Removed+c.Rewritten > 0 {
		text += fmt.Sprintf("Contents lie in packs, the files in .planlock/objects/packs: %s %s removed, %s %s written anew with what is needed.\n",
			plural(c.Removed, "pack"), oneOrMany(c.Removed, was, were), plural(c.Rewritten, "pack"), oneOrMany(c.Rewritten, was, were))
	}
	if c.Kept > 0 {
		text += fmt.Sprintf("%s %s, because %s %s %s.\n", plural(c.Kept, "content"), oneOrMany(c.Kept, "stays", "stay"),
			plural(runs, "run"), oneOrMany(runs, "needs", "need"), oneOrMany(c.Kept, "it", "them"))
	} else {
		text += "Nothing else is kept.\n"
	}
	if n := c.Damaged; n > 0 {
		text += fmt.Sprintf("%s left as %s, because of damage: planlock verify --store says more.\n", plural(n, "pack"), oneOrMany(n, "it is", "they are"))
	}
	if n := c.Busy; n > 0 {
		text += fmt.Sprintf("%s left as %s, because another program writes %s.\n", plural(n, "pack"), oneOrMany(n, "it is", "they are"), oneOrMany(n, "it", "them"))
	}
	return text
}
