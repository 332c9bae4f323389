package cmd

import (
	"context"
	"fmt"
	"io"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/plan"
)

// tellNeeds says what agents need that take part in a run of a plan, so that
// whoever accepted it once sees it each time.
func tellNeeds(ctx context.Context, w io.Writer, c *exec.Controller, draft *plan.Draft) error {
	list, err := c.Needs(ctx, draft)
	if err != nil {
		return err
	}
	for _, n := range list {
		for _, line := range n.Lines {
			fmt.Fprintf(w, "agent %s: %s\n", escaped(n.Name), escaped(line))
		}
	}
	return nil
}
