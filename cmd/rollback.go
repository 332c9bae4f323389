package cmd

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// rollbackCommand is "planlock rollback": it sets the tree back to before a
// step. What was there is kept, and its digest is printed. With --request it
// does nothing itself: whoever has the run in hand, or resumes it, is asked to,
// and a person decides. Of a run that has ended only the tree is set back,
// since its journal accepts nothing any more.
type rollbackCommand struct {
	arguments
	workspaceFlag
	Request bool   `help:"ask it of a run that is under way, or of whoever resumes it, instead of doing it now"`
	Reason  string `placeholder:"WORDS" help:"why; it stands in the journal, and is needed with --request"`
}

// Run carries the command out.
func (f *rollbackCommand) Run(ctx context.Context, p *cli) error {
	prefix, args := f.split(1)
	run, err := findRun(ctx, p.workspace(f.Dir), prefix)
	if err != nil {
		return err
	}
	step := plan.Address(args[0])
	if run.Step(step) == nil {
		_, _, err := attemptOf(run, step, 0)
		return err
	}
	if f.Request {
		return p.request(ctx, run, f.Dir, ask.Request{Kind: ask.Rollback, Step: step, Reason: f.Reason})
	}
	c := p.controller(f.Dir)
	_, c.LockFile = p.workspace(f.Dir).Sources(run)
	done, err := c.Rollback(ctx, run.Started.Run, step, defaultName(), f.Reason)
	if err != nil {
		return about(run, err)
	}
	fmt.Fprintf(p.out, "The tree is as it was before step %s. What was there is kept as tree %s:\n  planlock tree diff %s %s%s\n",
		escaped(string(step)), done.Kept.Tree.Short(), done.Kept.Tree, quoted(f.Dir), inDir(f.Dir))
	if done.Sealed {
		fmt.Fprintf(p.out, "Run %s has ended and stays as it ended, so nothing but the tree was set back, and planlock gc removes of what was kept all that no run refers to; to do its work again, lock and run its plan.\n", done.Run)
		return nil
	}
	fmt.Fprintf(p.out, "go on with  %s\n", escaped(resumeFrom(run, f.Dir)))
	return nil
}

// abandonCommand is "planlock abandon".
type abandonCommand struct {
	arguments
	workspaceFlag
	Reason string `placeholder:"WORDS" help:"why nobody wants the run any more"`
}

// Run carries the command out.
func (f *abandonCommand) Run(ctx context.Context, p *cli) error {
	run, err := findRun(ctx, p.workspace(f.Dir), f.first())
	if err != nil {
		return err
	}
	if f.Reason == "" {
		return &usageError{"--reason: say why; it stands in the journal"}
	}
	report, err := p.controller(f.Dir).Abandon(ctx, run.Started.Run, defaultName(), f.Reason)
	if err != nil {
		return about(run, err)
	}
	fmt.Fprintf(p.out, "Run %s was abandoned and has ended %s. What was completed stays; what was under way is undone, and kept.\n",
		report.Run.Started.Run, report.Status())
	return nil
}

// obsoleteCommand is "planlock obsolete": it says that the plan of a run no
// longer holds. The run stops at its checkpoint and asks a person whether to
// plan again, to go on, or to end. Nothing is decided here.
type obsoleteCommand struct {
	arguments
	workspaceFlag
	Reason string `placeholder:"WORDS" help:"why the plan no longer holds"`
}

// Run carries the command out.
func (f *obsoleteCommand) Run(ctx context.Context, p *cli) error {
	run, err := findRun(ctx, p.workspace(f.Dir), f.first())
	if err != nil {
		return err
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
		return about(run, err)
	}
	fmt.Fprintf(p.out, "Run %s stops at its checkpoint and asks, at once if it is under way; else when it goes on:\n  %s\n", r.Run, escaped(resumeFrom(run, dir)))
	return nil
}
