package cmd

import (
	"context"
	"flag"
	"fmt"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
)

func prepareChoices(p *cli, flags *flag.FlagSet) action {
	dir := flags.String("dir", ".", "the workspace, a `folder`")
	reason := flags.String("reason", "", "why a choice is revoked, in your `words`")
	by := flags.String("by", "", "the `name` of who revokes it; the user's by default")
	return func(ctx context.Context, args []string) error {
		if len(args) == 1 || len(args) == 2 && args[0] != "revoke" {
			return &usageError{"choices: say  planlock choices  or  planlock choices revoke ID"}
		}
		ws := exec.Workspace{Dir: *dir}
		if _, err := ws.Runs(); err != nil { // a folder that is not there remembers nothing, and is a typing error
			return placed(err, *dir, "", nil)
		}
		kept := ws.Choices()
		if len(args) == 2 {
			gone, err := kept.Revoke(ctx, args[1], orElse(*by, defaultName()), *reason)
			if err != nil {
				return placed(err, *dir, "", nil)
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
