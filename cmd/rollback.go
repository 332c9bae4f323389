package cmd

import (
	"context"
	"flag"
	"fmt"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/plan"
)

func prepareRollback(p *cli, flags *flag.FlagSet) action {
	dir := flags.String("dir", ".", "the workspace, a `folder`")
	request := flags.Bool("request", false, "ask it of a run that is under way, or of whoever resumes it, instead of doing it now")
	reason := flags.String("reason", "", "why, in your `words`; needed with --request")
	return func(ctx context.Context, args []string) error {
		prefix := ""
		if len(args) == 2 {
			prefix, args = args[0], args[1:]
		}
		run, err := findRun(ctx, workspaceIn(*dir), prefix)
		if err != nil {
			return placed(err, *dir, "", nil)
		}
		step := plan.Address(args[0])
		if run.Step(step) == nil {
			_, _, err := attemptOf(run, step, 0)
			return err
		}
		if *request {
			return p.request(ctx, run, *dir, ask.Request{Kind: ask.Rollback, Step: step, Reason: *reason})
		}
		c := &exec.Controller{Dir: *dir, LockFile: run.Started.LockFile, Witness: checkpoint.UserWitness().Outside(*dir), Now: p.now}
		done, err := c.Rollback(ctx, run.Started.Run, step)
		if err != nil {
			return placed(err, *dir, "", run)
		}
		fmt.Fprintf(p.out, "The tree is as it was before step %s. What was there is kept as tree %s:\n  planlock tree diff %s %s%s\n",
			escaped(string(step)), done.Kept.Tree.Short(), done.Kept.Tree, quoted(*dir), inDir(*dir))
		if done.Sealed {
			fmt.Fprintf(p.out, "Run %s has ended and stays as it ended, so nothing but the tree was set back, and planlock gc removes of what was kept all that no run refers to; to do its work again, lock and run its plan.\n", done.Run)
			return nil
		}
		fmt.Fprintf(p.out, "go on with  %s\n", escaped(resumeFrom(run, *dir)))
		return nil
	}
}
