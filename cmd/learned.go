package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/learn"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/plan"
)

// lessons are what finished runs of a workspace taught about the steps of a plan
// that has not run.
type lessons struct {
	Recommendations []learn.Recommendation `json:"recommendations"`
	Quarantined     int                    `json:"quarantined"` // lessons about such steps that nobody has promoted
}

// lessonsFor reads what was learned in a folder, and changes nothing there. It is
// nil where nothing was, and where it cannot be read, which is told: no plan is
// refused for that. Without only it is about all steps.
func (p *cli) lessonsFor(ctx context.Context, dir string, recorded *plan.Plan, only ...plan.Address) *lessons {
	ws := p.workspace(orElse(dir, "."))
	if _, err := os.Lstat(bookPath(ws.Dir)); err != nil {
		return nil
	}
	book, err := readBook(ctx, ws)
	if err != nil {
		p.warn("what was learned cannot be read: %s", escaped(err.Error()))
		return nil
	}
	found := &lessons{Recommendations: append([]learn.Recommendation{}, book.Memory().Recommend(recorded, only...)...),
		Quarantined: book.Waiting(recorded, only...)}
	if err := book.Close(); err != nil {
		p.warn("%s", escaped(err.Error()))
	}
	return found
}

// bookPath is where the book of a workspace lies.
func bookPath(dir string) string { return filepath.Join(dir, ".planlock", "learned") }

// readBook reads the book of a workspace as it would be if what was set back since
// were taken back. Nothing is written: the book that it is is one in memory.
func readBook(ctx context.Context, ws exec.Workspace) (*learn.Book, error) {
	log, err := filelog.Read(ctx, bookPath(ws.Dir))
	if err != nil {
		return nil, err
	}
	copied := new(checkpoint.MemoryLog)
	for text, err := range log.Replay(ctx) {
		if err == nil {
			err = copied.Append(ctx, [][]byte{text})
		}
		if err != nil {
			return nil, errors.Join(err, log.Close())
		}
	}
	if err := log.Close(); err != nil {
		return nil, err
	}
	book, err := bookOf(ctx, copied)
	if err != nil {
		return nil, err
	}
	if err := withdrawSetBack(ctx, ws, book); err != nil {
		return nil, errors.Join(err, book.Close())
	}
	return book, nil
}

// bookOf is the book that a log holds. The log is closed where it holds none.
func bookOf(ctx context.Context, log checkpoint.Log) (*learn.Book, error) {
	book, err := learn.Open(ctx, log, nil)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return book, nil
}

// standing says whether reviewers are offered a ready job.
func standing(r learn.Recommendation) string {
	if r.Withheld != "" {
		return "not offered: " + r.Withheld
	}
	return fmt.Sprintf("its confidence is %.2f", r.Confidence)
}

// printLessons tells whoever writes a plan what was learned about its steps.
func printLessons(w io.Writer, found *lessons) {
	if found == nil || len(found.Recommendations)+found.Quarantined == 0 {
		return
	}
	fmt.Fprintln(w, "\nLearned from earlier runs about steps that do the same:")
	for _, r := range found.Recommendations {
		why := "worked at once"
		if r.Cause != "" {
			why = "helped against " + r.Cause
		}
		fmt.Fprintf(w, "  %s  %s\n       %s (%s in %s)\n", escaped(string(r.Step)), escaped(r.Does),
			escaped(safetext.Clip(r.Remedy, 200)), escaped(why), plural(r.Runs, "run"))
		if r.ReadyJob != "" {
			fmt.Fprintf(w, "       ready job %s: %s\n", escaped(r.ReadyJob.Short()), escaped(standing(r)))
		}
		if r.How != "" {
			fmt.Fprintf(w, "       %s\n", escaped(safetext.Clip(r.How, 200)))
		}
		fmt.Fprintf(w, "       hint: %s\n", r.Change)
	}
	if n := found.Quarantined; n > 0 {
		fmt.Fprintf(w, "  %s in quarantine, which nobody has promoted: planlock learn\n", plural(n, "lesson"))
	}
}
