package cmd

import (
	"context"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
)

// runCommand is "planlock run": it runs a plan in a workspace, by the lock file
// beside it or by a lock of its own that leaves no file. The report goes to
// standard output and progress to standard error. What the run comes to is the
// exit status; an interrupted run has restored the tree, and the last line says
// how to go on. It holds the workspace from before the first write until it
// ends.
type runCommand struct {
	arguments
	session
	ackFlag
	Lock          string `again:"never" placeholder:"FILE" help:"the lock file; NAME.lock.json beside the plan by default, if it is there"`
	Strategy      string `again:"begin" enum:",direct,orchestrated" default:"" placeholder:"STRATEGY" help:"how much ceremony: direct or orchestrated; what follows from the plan by default"`
	TestFirst     bool   `again:"begin" help:"steps that can write their test first do: red, green, refactor"`
	Deterministic bool   `again:"begin" help:"refuse a step that makes another tree than it did before of the same inputs"`
}

// Run carries the command out.
func (f *runCommand) Run(ctx context.Context, p *cli) error {
	if err := p.apart(f.Dir); err != nil {
		return err
	}
	f.flags = f.typed
	c, err := f.controller(ctx, p, "")
	if err != nil {
		return err
	}
	c.Isolate, c.Shadow, c.TestFirst, c.Deterministic, c.Strategy = f.Isolate, f.Shadow, f.TestFirst, f.Deterministic,
		history.Strategy(f.Strategy)
	draft, err := p.read(f.Args[0], c.Options())
	if err != nil {
		return err
	}
	if err := f.seatEscalator(p, c, ""); err != nil {
		return err
	}
	locked, err := p.lockFor(ctx, c, draft, f.Args[0], f.Lock, f.Ack)
	if err != nil {
		return f.placed(err, f.Args[0], nil)
	}
	if err := seatsPrompts(c, locked.Plan(), locked.Options().Acknowledged); err != nil {
		return f.placed(err, f.Args[0], nil)
	}
	if err := f.chooseMode(ctx, p, c, locked.Plan()); err != nil {
		return f.placed(err, f.Args[0], nil)
	}
	return p.carryOut(ctx, &f.session, c, f.Args[0], func() (*exec.Report, error) { return c.Run(ctx, locked) })
}
