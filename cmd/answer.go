package cmd

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/user"
	"strings"

	"github.com/planlock/planlock/exec/ask"
)

func prepareAnswer(p *cli, flags *flag.FlagSet) action {
	dir := flags.String("dir", ".", "the workspace, a `folder`")
	ack := flags.String("ack", "", "the `words` that a dangerous choice wants, exactly")
	reason := flags.String("reason", "", "why, in your `words`; becomes part of the journal")
	by := flags.String("by", "", "the `name` of who answers; the user's by default")
	remember := flags.String("remember", "", "remember the choice for questions like this one; the `scope` is step or plan")
	confirm := flags.String("confirm", "", "the `words` that confirm --remember, exactly")
	return func(ctx context.Context, args []string) error {
		prefix := ""
		if len(args) == 3 {
			prefix, args = args[0], args[1:]
		}
		ws := workspaceIn(*dir)
		run, err := findRun(ctx, ws, prefix)
		if err != nil {
			return placed(err, *dir, "", nil)
		}
		id, choice := args[0], args[1]
		q := run.Pending()
		switch {
		case q == nil:
			return placed(&ask.RefusedError{Question: id, Why: fmt.Sprintf("run %s asks nothing", run.Started.Run)}, *dir, "", run)
		case q.ID != id:
			return placed(&ask.RefusedError{Question: id, Why: fmt.Sprintf("run %s asks %s now", run.Started.Run, q.ID)}, *dir, "", run)
		}
		a := ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt, Choice: choice, Acknowledged: *ack, Reason: *reason, By: orElse(*by, defaultName()), At: p.now()}
		if _, known := q.Choice(choice); !known {
			return placed(&ask.RefusedError{Question: id, Why: fmt.Sprintf("%q is none of the choices %s", choice, strings.Join(keysOf(q), ", "))}, *dir, "", run)
		}
		if err := confirmed(*q, &a, *remember, *confirm); err != nil {
			return placed(err, *dir, "", run)
		}
		if err := leave(ctx, &ask.Folder{Dir: ws.QuestionDir(), Now: p.now}, *q, a); err != nil {
			return placed(err, *dir, "", run)
		}
		chosen, _ := q.Choice(choice)
		fmt.Fprintf(p.out, "answered %s: %s\ngo on with  %s\n", q.ID, escaped(chosen.Label), escaped(resumeFrom(run, *dir)))
		return nil
	}
}

// keysOf are the choices of a question, as they are typed.
func keysOf(q *ask.Question) []string {
	keys := make([]string, len(q.Choices))
	for i, c := range q.Choices {
		keys[i] = c.Key
	}
	return keys
}

// confirmed has an answer remembered, if the words that confirm it are there.
func confirmed(q ask.Question, a *ask.Answer, scope, words string) error {
	if scope == "" {
		return nil
	}
	if err := oneOf("remember", scope, "step", "plan"); err != nil {
		return err
	}
	a.Remember, a.Confirmed = ask.Scope(scope), words
	if err := q.Check(*a); err != nil {
		return err
	}
	return q.ToRemember(*a)
}

// leave writes an answer for whoever resumes the run. The question is put first
// where it was asked elsewhere, on a terminal for one.
func leave(ctx context.Context, folder *ask.Folder, q ask.Question, a ask.Answer) error {
	if err := q.Check(a); err != nil {
		return err
	}
	if _, err := folder.Ask(ctx, q); err == nil {
		return &ask.RefusedError{Question: q.ID, Why: "it has been answered already: resume the run"}
	} else if !errors.Is(err, ask.ErrWaiting) {
		return err
	}
	return folder.Answer(a)
}

// defaultName is what the system calls who is there.
func defaultName() string {
	for _, name := range []string{"USER", "LOGNAME", "USERNAME"} {
		if v := os.Getenv(name); v != "" {
			return v
		}
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	if id := os.Getuid(); id >= 0 {
		return fmt.Sprintf("uid %d", id)
	}
	return "somebody"
}
