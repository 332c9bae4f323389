package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/plan"
)

// How long somebody who writes in the workspace is given to come to rest before
// a run begins: pauses that double, from the first to the last.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 800 * time.Millisecond
)

// runSettled begins a run under a lock that was made for it alone. Where
// somebody changed the workspace since it was locked, it is locked again, some
// times.
func (p *cli) runSettled(ctx context.Context, c *exec.Controller, locked *plan.Locked,
	begin func(context.Context, *plan.Locked) (*exec.Report, error),
	again func() (*plan.Locked, error)) (*exec.Report, error) {
	for pause := firstPause; ; pause *= 2 {
		report, err := begin(ctx, locked)
		var refused *exec.RefusedError
		var moved *plan.LockError
		if !errors.As(err, &refused) || !errors.As(err, &moved) || moved.What != "base tree" || c.LockFile != "" {
			return report, err
		}
		if pause > lastPause {
			busy := *refused
			busy.Reasons = append([]string{"somebody keeps writing in the workspace: it is not still for long enough to begin"},
				refused.Reasons[1:]...)
			busy.Hint = "stop what writes there, or leave these paths out with ignore, or watch them with stamps, in [ledger]"
			return report, &busy
		}
		fmt.Fprintln(p.err, "the workspace changed while the run began: it is locked again")
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return report, err
		case <-timer.C:
		}
		if locked, err = again(); err != nil {
			return report, err
		}
	}
}
