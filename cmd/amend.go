package cmd

import (
	"context"
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec"
)

// amendCommand is "planlock amend": it adds steps to a run that has not ended.
// The plan that it is given is the whole plan, and may differ from the run's
// only by more. It adds them only when it is called with the code of this very
// amendment, which the refusal of the first call names; the run stands as it
// stood until then.
type amendCommand struct {
	arguments
	workspaceFlag
	roles
	Reason string   `again:"never" placeholder:"WORDS" help:"why"`
	Ack    []string `again:"never" sep:"none" placeholder:"CODE" help:"accept the amendment, or what its steps need accepted, by its code; may be repeated"`
}

// Run carries the command out.
func (f *amendCommand) Run(ctx context.Context, p *cli) error {
	prefix, rest := f.split(1)
	path := rest[0]
	run, err := findRun(ctx, p.workspace(f.Dir), prefix)
	if err != nil {
		return ofPlan(path, err)
	}
	c := p.controller(f.Dir)
	c.NoSandbox = run.Started.NoSandbox
	if err := f.seat(ctx, p, c, run.Started.Executor); err != nil {
		return err
	}
	draft, err := p.read(path, c.Options())
	if err != nil {
		return err
	}
	if err := seatsPrompts(c, &draft.Plan, slices.Concat(run.Started.Acknowledged, f.Ack)); err != nil {
		return err
	}
	done, err := c.Amend(ctx, run.Started.Run, exec.Amendment{Draft: draft, Acknowledged: f.Ack, By: defaultName(),
		Reason: f.Reason})
	if err != nil {
		return err // its own hint says what to do; the run is as it was
	}
	if run, err = findRun(ctx, p.workspace(f.Dir), done.Run); err != nil { // its new steps may need more to go on
		return err
	}
	fmt.Fprintf(p.out, "amended: plan %s with %s\n", done.Locked.Digest().Short(), plural(len(done.Added), "further step"))
	fmt.Fprintf(p.out, "go on with  %s\n", escaped(resumeWith(run, f.Dir, merged(run.Policy.Given, f.typed))))
	return nil
}
