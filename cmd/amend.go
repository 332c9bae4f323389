package cmd

import (
	"context"
	"flag"
	"fmt"
	"slices"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
)

func prepareAmend(p *cli, flags *flag.FlagSet) action {
	dir := flags.String("dir", ".", "the workspace, a `folder`")
	reason := flags.String("reason", "", "why, in your `words`")
	var acks, executors list
	flags.Var(&acks, "ack", "accept the amendment, or what its steps need accepted, by its `code`; may be repeated")
	flags.Var(&executors, "executor", executorsHelp)
	pipeline := newPipeline(flags)
	return func(ctx context.Context, args []string) error {
		prefix, path := "", args[len(args)-1]
		if len(args) == 2 {
			prefix = args[0]
		}
		run, err := findRun(ctx, workspaceIn(*dir), prefix)
		if err != nil {
			return placed(err, *dir, path, nil)
		}
		c := &exec.Controller{Dir: *dir, NoSandbox: run.Started.NoSandbox, Witness: checkpoint.UserWitness().Outside(*dir), Now: p.now}
		if err := seatExecutors(c, executors, run.Started.Executor); err != nil {
			return err
		}
		if err := pipeline.seat(ctx, c); err != nil {
			return err
		}
		draft, err := p.read(path, c.Options())
		if err != nil {
			return err
		}
		if err := seatsPrompts(c, &draft.Plan, slices.Concat(run.Started.Acknowledged, acks)); err != nil {
			return err
		}
		done, err := c.Amend(ctx, run.Started.Run, exec.Amendment{Draft: draft, Acknowledged: acks, By: defaultName(), Reason: *reason})
		if err != nil {
			return placed(err, *dir, "", nil) // its own hint says what to do; the run is as it was
		}
		if run, err = findRun(ctx, workspaceIn(*dir), done.Run); err != nil { // its new steps may need more to go on
			return placed(err, *dir, "", nil)
		}
		fmt.Fprintf(p.out, "amended: plan %s with %s\n", done.Locked.Digest().Short(), plural(len(done.Added), "further step"))
		fmt.Fprintf(p.out, "go on with  %s\n", escaped(resumeFrom(run, *dir)))
		return nil
	}
}
