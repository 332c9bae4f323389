package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
)

// summaryFlag asks for summaries where teams that work in phases look for them.
type summaryFlag struct {
	Summary bool `again:"always" help:"write NAME-SUMMARY.md beside each NAME-PLAN.md of a phase, once the run is over; what somebody else wrote there stays as it is"`
}

// writeSummaries writes the summary of each plan of a phase beside it, and says
// so. A run that is not over has none yet.
func (p *cli) writeSummaries(ctx context.Context, ws exec.Workspace, run *history.Run) error {
	written, err := ws.WriteSummaries(ctx, run)
	for _, path := range written {
		fmt.Fprintf(p.err, "wrote %s\n", escaped(displayPath(path)))
	}
	if errors.Is(err, exec.ErrNoSummaries) && run.Sealed == nil {
		return nil // it is told that the run goes on
	}
	return err
}
