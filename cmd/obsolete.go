package cmd

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
)

// obsoleteCommand is "planlock obsolete".
type obsoleteCommand struct {
	arguments
	workspaceFlag
	Reason string `placeholder:"WORDS" help:"why the plan no longer holds"`
}

// Run carries the command out.
func (f *obsoleteCommand) Run(ctx context.Context, p *cli) error {
	run, err := findRun(ctx, p.workspace(f.Dir), f.first())
	if err != nil {
		return placed(err, f.Dir, "", nil)
	}
	return p.request(ctx, run, f.Dir, ask.Request{Kind: ask.Obsolete, Reason: f.Reason})
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
