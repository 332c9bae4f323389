package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/learn"
	"github.com/planlock/planlock/internal/safetext"
)

// learnCommand is "planlock learn": it reads what finished runs teach, and
// decides what of it may be used. Runs that were read already are not read
// again. Only promoting an entry has runs use it, and whoever promotes or
// revokes says who and why; every such decision stands in the book for good.
type learnCommand struct {
	arguments
	workspaceFlag
	By     string `placeholder:"NAME" help:"who decides"`
	Reason string `placeholder:"WORDS" help:"why"`
	Keep   int    `default:"3" placeholder:"NUMBER" help:"prune: how many entries stay of each pattern"`
	Format string `enum:"text,jsonl" default:"text" placeholder:"FORMAT" help:"the output's format: text or jsonl"`
}

// Run carries the command out.
func (f *learnCommand) Run(ctx context.Context, p *cli) error {
	what := f.first()
	decides := what == "promote" || what == "revoke"
	switch {
	case what != "" && what != "prune" && what != "audit" && !decides:
		return &usageError{fmt.Sprintf("learn: %q is none of promote, revoke, prune, audit", what)}
	case decides != (len(f.Args) == 2):
		return &usageError{"learn: promote and revoke need the id of an entry, and only they do"}
	}
	ws := p.workspace(f.Dir)
	book, err := openBook(ctx, ws)
	if err != nil {
		return err
	}
	switch what {
	case "promote":
		err = book.Promote(ctx, f.Args[1], f.By, f.Reason)
	case "revoke":
		err = book.Revoke(ctx, f.Args[1], f.By, f.Reason)
	case "prune":
		_, err = book.Prune(ctx, f.Keep, f.By)
	case "audit":
		return errors.Join(printAudit(ctx, p.out, book), book.Close())
	default:
		err = p.takeRuns(ctx, ws, book)
	}
	if errors.Is(err, learn.ErrAnonymous) {
		err = &usageError{"learn: who decides this, and why? say it with --by and --reason"}
	}
	return errors.Join(err, printBook(p.out, book, f.Format), book.Close())
}

// takeRuns reads the finished runs that the book has not seen yet.
func (p *cli) takeRuns(ctx context.Context, ws exec.Workspace, book *learn.Book) error {
	runs, err := notRead(ctx, ws, book)
	if err != nil {
		return err
	}
	for _, id := range runs {
		if err := takeRun(ctx, ws, book, id); err != nil {
			p.warn("nothing is learned from run %s: %s", escaped(id),
				escaped(err.Error()))
		}
	}
	return nil
}

// notRead are the runs, the oldest first, that may say more than a book has taken
// of them: those that it has not, and those that were set back since.
func notRead(ctx context.Context, ws exec.Workspace, book *learn.Book) (ids []string, err error) {
	for l, err := range ws.List(ctx, checkpoint.Which{}) {
		if err != nil {
			return nil, err
		}
		if !book.Taken(l.Run) || l.State != checkpoint.Sealed && ws.HasAfterwards(ctx, l.Run) {
			ids = append(ids, l.Run)
		}
	}
	slices.Reverse(ids)
	return ids, nil
}

// takeRun has a book learn from a run that has ended. One that has not is
// passed over without a word: it teaches when it is over. What was set back since
// it was read is taken back.
func takeRun(ctx context.Context, ws exec.Workspace, book *learn.Book, id string) error {
	run, err := ws.History(ctx, id)
	if err != nil || run.Sealed == nil {
		return err
	}
	if book.Taken(id) {
		return book.Withdraw(ctx, run)
	}
	recorded, err := ws.Plan(ctx, run)
	if err != nil {
		return err
	}
	return book.Take(ctx, recorded, run)
}

// withdrawSetBack takes back what runs of a workspace taught that were set back since.
func withdrawSetBack(ctx context.Context, ws exec.Workspace, book *learn.Book) error {
	runs, err := notRead(ctx, ws, book)
	if err != nil {
		return err
	}
	for _, id := range runs {
		if book.Taken(id) {
			if err := takeRun(ctx, ws, book, id); err != nil {
				return fmt.Errorf("nobody knows whether what run %s taught still stands: %w", id, err)
			}
		}
	}
	return nil
}

// printBook lists the entries of a book.
func printBook(w io.Writer, book *learn.Book, format string) error {
	none, jobs := true, book.ReadyJobs()
	for e := range book.Entries() {
		none = false
		if format == "jsonl" {
			if jobs[e.ID] != nil {
				e.Job = jobs[e.ID]
			}
			if err := writeLine(w, struct {
				learn.Entry
				Ready bool `json:"ready"`
			}{e, e.Ready()}); err != nil {
				return err
			}
			continue
		}
		state := string(e.State)
		if e.Ready() {
			state = "ready"
		}
		fmt.Fprintf(w, "%s  %-11s %-10s %s, %d needed; %d right and %d wrong in shadow\n  %s  →  %s\n", e.ID,
			state, e.Kind,
			plural(e.Confirmed, "confirmation"), e.Kind.Confirmations(), e.Right, e.Wrong, escaped(e.About()),
			escaped(e.Remedy))
		if e.How != "" {
			fmt.Fprintf(w, "  by  %s\n", escaped(safetext.Clip(e.How, 200)))
		}
		if job := jobs[e.ID]; job != nil {
			printReadyJob(w, e, job)
		}
	}
	if none && format == "text" {
		fmt.Fprintln(w, "Nothing has been learned yet: finished runs teach what worked.")
	}
	return nil
}

// printReadyJob says of an entry with jobs what they leave, which runs stand behind
// them, and whether reviewers are offered them.
func printReadyJob(w io.Writer, e learn.Entry, job *history.ReadyJob) {
	state := "offered to reviewers with --learned"
	switch {
	case e.State != learn.Active:
		state = "not offered: nobody has promoted it"
	case job.Withheld != "":
		state = "not offered: " + job.Withheld
	}
	var runs []string
	for _, r := range job.Runs {
		runs = append(runs, fmt.Sprintf("%s (%s, %s)", r.Run, r.Step, r.Basis))
	}
	fmt.Fprintf(w, "  ready job %s, confidence %.2f, of runs %s; %s\n", job.Digest.Short(), job.Confidence,
		escaped(orElse(strings.Join(runs, ", "), "none")), escaped(state))
}

// printAudit prints every record of a book.
func printAudit(ctx context.Context, w io.Writer, book *learn.Book) error {
	for rec, err := range book.Audit(ctx) {
		if err != nil {
			return err
		}
		if err := writeLine(w, rec); err != nil {
			return err
		}
	}
	return nil
}
