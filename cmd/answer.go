package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/exec/history"
)

// answerCommand is "planlock answer": it answers a question that a run waits
// for. The answer is left in the folder of questions, and read by whoever
// resumes the run, or by its owner, which is told; it is compared with the question here already, so that what
// would be refused then is refused now. Of several answers the first counts.
type answerCommand struct {
	arguments
	workspaceFlag
	Ack      string `placeholder:"WORDS" help:"the words that a dangerous choice wants, exactly"`
	Reason   string `placeholder:"WORDS" help:"why; becomes part of the journal"`
	By       string `placeholder:"NAME" help:"who answers; the user by default"`
	Remember string `enum:",step,plan" default:"" placeholder:"SCOPE" help:"remember the choice for questions like this one; the scope is step or plan"`
	Confirm  string `placeholder:"WORDS" help:"the words that confirm --remember, exactly"`
}

// Run carries the command out.
func (f *answerCommand) Run(ctx context.Context, p *cli) error {
	prefix, args := f.split(2)
	ws := p.workspace(f.Dir)
	run, err := findRun(ctx, ws, prefix)
	if err != nil {
		return err
	}
	id := args[0]
	q, open := asked(run, id)
	switch {
	case run.Ended != nil:
		return about(run, &exec.RefusedError{Run: run.Started.Run, Reasons: []string{"the run has ended: it asks nothing any more"}})
	case len(open) == 0:
		return about(run, &ask.RefusedError{Question: id, Why: fmt.Sprintf("run %s asks nothing", run.Started.Run)})
	case q == nil:
		return about(run, &ask.RefusedError{Question: id,
			Why: fmt.Sprintf("run %s asks %s now", run.Started.Run, strings.Join(open, ", "))})
	}
	chosen, known := q.Typed(args[1])
	if !known || args[1] == "" {
		return about(run, &ask.RefusedError{Question: id,
			Why: fmt.Sprintf("%q is none of the choices %s", args[1], strings.Join(keysOf(q), ", "))})
	}
	a := ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt, Choice: chosen.Key, Acknowledged: f.Ack,
		Reason: f.Reason, By: orElse(f.By, defaultName()), At: p.now()}
	if err := confirmed(*q, &a, f.Remember, f.Confirm); err != nil {
		return about(run, err)
	}
	if err := leave(ctx, p.questions(ws.Dir), *q, a); err != nil {
		return about(run, err)
	}
	fmt.Fprintf(p.out, "answered %s: %s\n", q.ID, escaped(chosen.Label))
	owned, err := p.withOwners(ctx, run, func(r Runs) error { return p.give(ctx, r, run, f.Dir) })
	if !owned {
		fmt.Fprintf(p.out, "go on with  %s\n", escaped(resumeFrom(run, f.Dir)))
	}
	return about(run, err)
}

// confirmed has an answer remembered, if the words that confirm it are there.
func confirmed(q ask.Question, a *ask.Answer, scope, words string) error {
	if scope == "" {
		return nil
	}
	a.Remember, a.Confirmed = ask.Scope(scope), words
	if err := q.Check(*a); err != nil {
		return err
	}
	return q.ToRemember(*a)
}

// leave writes an answer for whoever resumes the run. The question is put first
// where it was asked elsewhere, on a terminal for one.
func leave(ctx context.Context, folder *escalator.Folder, q ask.Question, a ask.Answer) error {
	if err := q.Check(a); err != nil {
		return err
	}
	if _, err := folder.Ask(ctx, q); err == nil {
		return &ask.RefusedError{Question: q.ID, Why: answeredAlready}
	} else if !errors.Is(err, ask.ErrLater) {
		return err
	}
	return folder.Answer(a)
}

// answeredAlready is why a second answer is refused.
const answeredAlready = "it has been answered already: resume the run"

// asked finds a question that the run waits for by its id, nil if it does not;
// open are the ids of all that it waits for.
func asked(run *history.Run, id string) (found *ask.Question, open []string) {
	for _, q := range run.Questions() {
		if open = append(open, q.ID); q.ID == id {
			found = q
		}
	}
	return found, open
}

// choicesCommand is "planlock choices": it lists the choices that are
// remembered in a workspace, or revokes one. Revoking removes nothing: the
// choice stays on record with who revoked it and why.
type choicesCommand struct {
	arguments
	workspaceFlag
	Reason string `placeholder:"WORDS" help:"why a choice is revoked"`
	By     string `placeholder:"NAME" help:"who revokes it; the user by default"`
}

// Run carries the command out.
func (f *choicesCommand) Run(ctx context.Context, p *cli) error {
	if len(f.Args) == 1 || len(f.Args) == 2 && f.Args[0] != "revoke" {
		return &usageError{"choices: say  planlock choices  or  planlock choices revoke ID"}
	}
	ws := p.workspace(f.Dir)
	if _, err := ws.IDs(ctx); err != nil { // a folder that is not there remembers nothing, and is a typing error
		return err
	}
	kept := ws.Choices()
	if len(f.Args) == 2 {
		gone, err := kept.Revoke(ctx, f.Args[1], orElse(f.By, defaultName()), f.Reason)
		if err != nil {
			return err
		}
		fmt.Fprintln(p.out, choiceLine(gone))
		return nil
	}
	list, err := kept.List(ctx)
	for _, c := range list {
		fmt.Fprintln(p.out, choiceLine(c))
	}
	if len(list) == 0 && err == nil {
		fmt.Fprintln(p.out, "no choice is remembered")
	}
	return err
}

// choiceLine is a remembered choice in one line.
func choiceLine(c ask.Precedent) string {
	where := "any step of plan " + c.Plan.Short()
	if c.Step != "" {
		where = "step " + string(c.Step) + " of plan " + c.Plan.Short()
	}
	line := fmt.Sprintf("%s  %s: %s for %s, by %s on %s", c.ID, c.Kind, c.Choice, where, c.By, c.At.UTC().Format("2006-01-02"))
	if c.Reason != "" {
		line += " (" + c.Reason + ")"
	}
	if c.Revoked != nil {
		line += ", revoked by " + c.Revoked.By
	}
	return escaped(line)
}

// keysOf are the choices of a question, as they are typed.
func keysOf(q *ask.Question) []string {
	keys := make([]string, len(q.Choices))
	for i, c := range q.Choices {
		keys[i] = c.Key
	}
	return keys
}

// late reports whether an answer to a question does not count now, as its time is
// over: it waits without a deadline once the run goes on.
func late(q *ask.Question) bool { return !q.Deadline.IsZero() && !time.Now().Before(q.Deadline) }

// howToAnswer is how a question is answered.
func howToAnswer(q *ask.Question, dir string) string {
	ack, reason := "", ""
	for _, c := range q.Choices {
		if c.Acknowledge != "" {
			ack = " [--ack TEXT]"
		}
		if c.NeedsReason {
			reason = " [--reason TEXT]"
		}
	}
	return fmt.Sprintf("planlock answer %s %s %s%s%s%s", q.Run, q.ID, strings.Join(keysOf(q), "|"), ack, reason,
		inDir(dir))
}
