package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
)

func prepareStatus(p *cli, flags *flag.FlagSet) action {
	dir := flags.String("dir", ".", "the workspace, a `folder`")
	return func(ctx context.Context, args []string) error {
		run, err := findRun(ctx, exec.Workspace{Dir: *dir}, first(args))
		if err != nil {
			return placed(err, *dir, "", nil)
		}
		p.printStatus(run)
		p.printNext(run, *dir)
		return nil
	}
}

// printStatus says where a run stands, step by step.
func (p *cli) printStatus(run *history.Run) {
	s := &run.Started
	fmt.Fprintf(p.out, "%s        run %s · plan %s · mode %s\n\n", escaped(s.Goal), s.Run, s.Plan.Short(), escaped(string(run.Mode)))
	width := titleWidth(run)
	for _, step := range run.Steps {
		line := stepLine(step, width)
		if step.Status == history.InFlight {
			line = strings.TrimRight(fmt.Sprintf(" ▸ %-4s %s  %s", escaped(string(step.Address)), pad(escaped(step.Title), width), escaped(activity(step, ""))), " ")
		}
		fmt.Fprintln(p.out, line)
	}
	fmt.Fprintf(p.out, "\n %s\n\n", bar(run))
	fmt.Fprintf(p.out, "status   %s\n", escaped(string(run.Status)))
	if run.Ended != nil {
		for _, r := range run.Ended.Reasons {
			fmt.Fprintf(p.out, "         %s\n", escaped(r))
		}
	}
	if run.Paused != nil {
		fmt.Fprintf(p.out, "stopped  %s\n", escaped(run.Paused.Why))
	}
	fmt.Fprintf(p.out, "begun    %s\nlatest   %s\n", stamp(run.Begun), stamp(run.Latest))
}

// printNext says what a person can do now.
func (p *cli) printNext(run *history.Run, dir string) {
	id := run.Started.Run
	if q := run.Pending(); q != nil && answerLies(exec.Workspace{Dir: dir}.QuestionDir(), q) {
		fmt.Fprintf(p.out, "\n%s\nanswered; go on with  planlock resume %s%s\n", ask.Render(*q), id, inDir(dir))
		return
	} else if q != nil {
		fmt.Fprintf(p.out, "\n%s\nanswer   %s\nthen     planlock resume %s%s\n", ask.Render(*q), escaped(answerCommand(q, dir)), id, inDir(dir))
		return
	}
	switch {
	case run.Ended != nil:
		fmt.Fprintf(p.out, "next     planlock report %s%s\n", id, inDir(dir))
	case run.Paused == nil:
		fmt.Fprintf(p.out, "next     wait; if no planlock works on it any more, planlock resume %s%s\n", id, inDir(dir))
	default:
		fmt.Fprintf(p.out, "next     planlock resume %s%s\n", id, inDir(dir))
	}
}

// stamp is a time for people.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }
