package cmd

import (
	"context"
	"flag"
	"fmt"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
)

func prepareObsolete(p *cli, flags *flag.FlagSet) action {
	dir := flags.String("dir", ".", "the workspace, a `folder`")
	reason := flags.String("reason", "", "why the plan no longer holds, in your `words`")
	return func(ctx context.Context, args []string) error {
		run, err := findRun(ctx, exec.Workspace{Dir: *dir}, first(args))
		if err != nil {
			return placed(err, *dir, "", nil)
		}
		return p.request(ctx, run, *dir, ask.Request{Kind: ask.Obsolete, Reason: *reason})
	}
}

// request leaves a request for whoever has a run in hand, or resumes it.
func (p *cli) request(ctx context.Context, run *history.Run, dir string, r ask.Request) error {
	if r.Reason == "" {
		return &usageError{"--reason: say why; it is shown to whoever decides"}
	}
	r.Run, r.By = run.Started.Run, defaultName()
	if err := (exec.Workspace{Dir: dir}).Request(ctx, r); err != nil {
		return placed(err, dir, "", run)
	}
	fmt.Fprintf(p.out, "Run %s stops at its checkpoint and asks, at once if it is under way; else when it goes on:\n  %s\n", r.Run, escaped(resumeFrom(run, dir)))
	return nil
}
