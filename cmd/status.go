package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/planlock/planlock/cmd/internal/paint"
	"github.com/planlock/planlock/cmd/internal/screen"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
)

// statusCommand is "planlock status": it says where a run stands, what it waits
// for, and what to type next. It only reads, and does not take the workspace: a
// run that looks as if it were under way is told from one that was cut off by
// asking who holds the workspace.
type statusCommand struct {
	arguments
	workspaceFlag
	Format string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"the output's format: text or json"`
	Watch  bool   `help:"say it again whenever it changes, until the run ends: on a terminal in one place, with --format json one document a line"`
}

// Run carries the command out.
func (f *statusCommand) Run(ctx context.Context, p *cli) error {
	ws := p.workspace(f.Dir)
	run, err := findRun(ctx, ws, f.first())
	if err != nil {
		return err
	}
	if f.Watch {
		return f.watch(ctx, p, ws, run)
	}
	stands := newStatus(run, cutOff(ctx, ws, run))
	if f.Format == "json" {
		return writeJSON(p.out, stands)
	}
	return p.draw(p.out, paint.Status, func(w io.Writer) error {
		printStatus(w, run, stands)
		p.trees(ctx, w, f.Dir)
		printNext(ctx, w, ws, run)
		if f.first() == "" && run.Ended != nil {
			p.tellUnended(ctx, ws, run)
		}
		return nil
	})
}

// printStatus says where a run stands, step by step.
func printStatus(w io.Writer, run *history.Run, stands statusDocument) {
	fmt.Fprintf(w, "%s\n\n", screen.Overview(run))
	status := escaped(string(run.Status))
	if stands.CutOff {
		status += ", as the journal says; it was cut off"
	}
	fmt.Fprintf(w, "status   %s\n", status)
	stands.print(w)
	if run.Ended != nil {
		for _, r := range run.Ended.Reasons {
			fmt.Fprintf(w, "         %s\n", escaped(r))
		}
	} else {
		for _, o := range run.Outcomes { // steps that went well do not say it
			if !o.Undone && o.Execution.Succeeded() && o.Status != history.Completed {
				fmt.Fprintf(w, "         %s\n", escaped(o.String()))
			}
		}
	}
	if run.After != nil {
		for _, b := range run.After.Setbacks {
			fmt.Fprintf(w, "since    %s\n         %s; what was there is tree %s\n", escaped(forPeople(b.String())),
				stamp(b.At), b.Kept.Tree.Short())
		}
	}
	if why := stopped(run); why != "" {
		fmt.Fprintf(w, "stopped  %s\n", escaped(why))
	}
	for _, c := range run.Recalled() {
		fmt.Fprintf(w, "memory   task %s: %s\n", escaped(c.Task), escaped(c.String()))
	}
	for _, a := range run.Amendments {
		fmt.Fprintf(w, "amended  %s by %s\n", plural(len(a.Added), "further step"),
			escaped(orElse(a.By, "the host")))
	}
	fmt.Fprintf(w, "begun    %s\nlatest   %s\n", stamp(run.Begun), stamp(run.Latest))
}

// stopped says why a run was let go; "" if it was not.
func stopped(run *history.Run) string {
	if run.Paused == nil {
		return ""
	}
	why := strings.TrimPrefix(forPeople(run.Paused.Why), "stopped ")
	if run.Stopping != nil {
		why += " " + run.Stopping.String()
	}
	return why
}

// printNext says what a person can do now.
func printNext(ctx context.Context, w io.Writer, ws exec.Workspace, run *history.Run) {
	dir := ws.Dir
	id, resume := run.Started.Run, escaped(resumeFrom(run, dir))
	folder := ws.Questions()
	if r, err := folder.Requested(ctx, id); err == nil {
		fmt.Fprintf(w, "request  %s; this is asked when the run goes on\n", escaped(r.String()))
	}
	if open := run.Questions(); len(open) > 0 {
		q := open[0]
		fmt.Fprintf(w, "\n%s\n", ask.Render(*q))
		if added := run.Unnamed(q); added != "" {
			fmt.Fprintf(w, "later    %s\n", escaped(added))
		}
		if mark := run.Mark(); mark != nil {
			fmt.Fprintf(w, "held at  checkpoint %s\n", mark.ID)
		}
		a, err := folder.Given(*q)
		if err == nil {
			fmt.Fprintf(w, "answered %s; go on with  %s\n", escaped(given(q, a)), resume)
			return
		}
		if !errors.Is(err, ask.ErrLater) {
			fmt.Fprintf(w, "ignored  %s\n", escaped(forPeople(err.Error())))
		}
		if late(q) {
			fmt.Fprintf(w, "late     its time is over, and it is put again by  %s\nthen     %s\n",
				resume, escaped(howToAnswer(q, dir)))
			return
		}
		fmt.Fprintf(w, "answer   %s\nthen     %s\n", escaped(howToAnswer(q, dir)), resume)
		return
	}
	switch {
	case run.After.CutOff() != nil:
		again := action.Action{Kind: action.Rollback, Run: id, Step: run.After.CutOff().To}
		fmt.Fprintf(w, "next     %s\n", escaped(spelling{dir: dir}.spell(again)))
	case run.After != nil:
		onwards(w, spellingOf(run, dir, run.Policy.Given).anew(ws, run))
	case run.Ended != nil:
		fmt.Fprintf(w, "next     planlock report %s%s\n", id, inDir(dir))
		if run.Ended.Status != history.Achieved && run.Abandoned == nil {
			ended := &exec.OutcomeError{Run: id, Status: run.Ended.Status, Reasons: run.Ended.Reasons}
			fmt.Fprintf(w, "then     %s\n", escaped(outcomeHint(ended, placedError{dir: dir, run: run})))
		}
	case run.Paused == nil:
		fmt.Fprintf(w, "next     %s\n", inHand(ctx, ws, run, resume))
	case run.Foreign != nil:
		fmt.Fprintf(w, "next     put back what others did, then  %s\n", resume)
		fmt.Fprintf(w, "or       have the question put again, and answer that it stays, or what else becomes of it:  %s\n",
			escaped(attendWith(run, dir, run.Policy.Given)))
	case run.Replans():
		at := placedError{dir: dir, run: run}
		onwards(w, at.replanning())
	default:
		fmt.Fprintf(w, "next     %s\n", resume)
	}
}

// given is an answer with what was chosen, by whom and why.
func given(q *ask.Question, a ask.Answer) string {
	chosen, _ := q.Choice(a.Choice)
	text := fmt.Sprintf("%s (%s) by %s", a.Choice, chosen.Label, a.By)
	if a.Reason != "" {
		text += ": " + a.Reason
	}
	return text
}

// stamp is a time for people.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }
