package cmd

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/exec/ask"
)

// choicesCommand is "planlock choices".
type choicesCommand struct {
	arguments
	workspaceFlag
	Reason string `placeholder:"WORDS" help:"why a choice is revoked"`
	By     string `placeholder:"NAME" help:"who revokes it; the user by default"`
}

// Run carries the command out.
func (f *choicesCommand) Run(ctx context.Context, p *cli) error {
	if len(f.Args) == 1 || len(f.Args) == 2 && f.Args[0] != "revoke" {
		return &usageError{"choices: say  planlock choices  or  planlock choices revoke ID"}
	}
	ws := p.workspace(f.Dir)
	if _, err := ws.Runs(); err != nil { // a folder that is not there remembers nothing, and is a typing error
		return placed(err, f.Dir, "", nil)
	}
	kept := ws.Choices()
	if len(f.Args) == 2 {
		gone, err := kept.Revoke(ctx, f.Args[1], orElse(f.By, defaultName()), f.Reason)
		if err != nil {
			return placed(err, f.Dir, "", nil)
		}
		fmt.Fprintln(p.out, choiceLine(gone))
		return nil
	}
	list, err := kept.List(ctx)
	for _, c := range list {
		fmt.Fprintln(p.out, choiceLine(c))
	}
	if len(list) == 0 && err == nil {
		fmt.Fprintln(p.out, "no choice is remembered")
	}
	return err
}

// choiceLine is a remembered choice in one line.
func choiceLine(c ask.Precedent) string {
	where := "any step of plan " + c.Plan.Short()
	if c.Step != "" {
		where = "step " + string(c.Step) + " of plan " + c.Plan.Short()
	}
	line := fmt.Sprintf("%s  %s: %s for %s, by %s on %s", c.ID, c.Kind, c.Choice, where, c.By, c.At.UTC().Format("2006-01-02"))
	if c.Reason != "" {
		line += " (" + c.Reason + ")"
	}
	if c.Revoked != nil {
		line += ", revoked by " + c.Revoked.By
	}
	return escaped(line)
}
