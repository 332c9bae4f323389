package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/learn"
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
	runs, err := ws.Runs()
	if err != nil {
		return err
	}
	for _, id := range runs {
		if book.Taken(id) && !ws.HasAfterwards(id) {
			continue
		}
		if err := takeRun(ctx, ws, book, id); err != nil {
			fmt.Fprintf(p.err, "planlock: warning: nothing is learned from run %s: %s\n", escaped(id),
				escaped(err.Error()))
		}
	}
	return nil
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

// printBook lists the entries of a book.
func printBook(w io.Writer, book *learn.Book, format string) error {
	none := true
	for e := range book.Entries() {
		none = false
		if format == "jsonl" {
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
	}
	if none && format == "text" {
		fmt.Fprintln(w, "Nothing has been learned yet: finished runs teach what worked.")
	}
	return nil
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
