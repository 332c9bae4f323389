package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/planlock/planlock/cmd/internal/paint"
	"github.com/planlock/planlock/cmd/internal/screen"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// diffCommand is "planlock diff": it sets what a step declared against what an
// attempt of it did, and shows the text of the changes. What was undone is
// kept, so it works for failed attempts too. Of one that nobody looked at it
// says where its work lies, and when it will be seen.
type diffCommand struct {
	arguments
	workspaceFlag
	Attempt int    `placeholder:"NUMBER" help:"the attempt, from 1; the last one by default"`
	Format  string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"the output's format: text or json"`
}

// Run carries the command out.
func (f *diffCommand) Run(ctx context.Context, p *cli) error {
	prefix, args := f.split(1)
	ws := p.workspace(f.Dir)
	ws.Languages = readable()
	run, err := findRun(ctx, ws, prefix)
	if err != nil {
		return err
	}
	s, a, err := attemptOf(run, plan.Address(args[0]), f.Attempt)
	if err != nil {
		return err
	}
	entry, err := ws.Entry(ctx, run, s, a)
	if errors.Is(err, exec.ErrNoEntry) {
		none := &noEntryError{run: run, step: s, attempt: a}
		none.dir, none.whole = ws.Unfinished(run)
		err = none
	}
	if err != nil {
		return about(run, err)
	}
	if f.Format == "json" {
		return diffJSON(ctx, p.out, ws, run, s, a, entry)
	}
	return p.draw(p.out, paint.Diff, func(w io.Writer) error { return p.diffText(ctx, w, ws, run, s, a, entry) })
}

// A noEntryError says that nobody looked at what an attempt did.
type noEntryError struct {
	run     *history.Run
	step    *history.Step
	attempt *history.Attempt
	dir     string // has what the attempt wrote
	whole   bool   // and all else of the workspace
}

func (e *noEntryError) Error() string {
	if e.underWay() {
		return fmt.Sprintf("attempt %d of step %s is not over, so it has no ledger entry; what it wrote so far lies in %s", e.attempt.Number, e.step.Address, escaped(displayPath(e.dir)))
	}
	return fmt.Sprintf("attempt %d of step %s has no ledger entry: it was cut off before its tree was looked at, and left nothing that could be kept", e.attempt.Number, e.step.Address)
}

// underWay reports whether what the attempt did still lies where it works.
func (e *noEntryError) underWay() bool {
	return e.run.Ended == nil && e.step.Last() == e.attempt && (e.attempt.Ended.IsZero() || e.run.Restoring != nil)
}

// hints say what happens to what the attempt wrote, and how it is seen.
func (e *noEntryError) hints(ctx context.Context, at placedError) []string {
	if !e.underWay() {
		return nil
	}
	id := e.run.Started.Run
	hints := []string{inHand(ctx, exec.Workspace{Dir: at.dir}, e.run, at.resume()),
		fmt.Sprintf("an attempt that was cut off is undone when the run is resumed, and kept:  planlock diff %s %s --attempt %d%s  shows it then", id, e.step.Address, e.attempt.Number, inDir(at.dir))}
	if base := e.attempt.Base.Tree; base != "" && e.whole {
		hints = append(hints, fmt.Sprintf("now  planlock tree diff %s %s%s  shows it", base,
			quoted(displayPath(e.dir)), inDir(at.dir)))
	}
	return hints
}

// diffText shows an entry to people. Where a person sees it the text of changes
// is escaped; elsewhere it is written as it is, so that patch can read it.
func (p *cli) diffText(ctx context.Context, w io.Writer, ws exec.Workspace, run *history.Run, s *history.Step,
	a *history.Attempt, entry *history.Accounted) error {
	fmt.Fprintf(w, "step %s, attempt %d (%s): %s\n\n", escaped(string(s.Address)), a.Number,
		escaped(screen.MethodName(a.Method.Method)), outcomeOf(run, s, a))
	account := entry.Account.String()
	if entry.Unsaid {
		account = "expected   not declared\n" + entry.Account.Undeclared()
	}
	io.WriteString(w, safetext.Indent("  ", account))
	accounted := slices.Concat(entry.Account.SymbolsMatching, entry.Account.SymbolsExtra)
	for _, symbol := range entry.Symbols {
		if slices.Contains(accounted, symbol) {
			continue // it stands there already
		}
		fmt.Fprintf(w, "             %s\n", escaped(symbol.String()))
	}
	fmt.Fprintf(w, "\n  %s\n", entry.Size())
	seen := p.isTerminal(p.out) || p.brush(p.out).On()
	return ws.Unified(ctx, entry.Changes, func(_ ledger.Change, text string) error {
		if text == "" {
			return nil
		}
		if seen {
			text = safetext.Indent("", text)
		}
		_, err := io.WriteString(w, "\n"+text)
		return err
	})
}

// A diffDocument is the document of "diff --format json".
type diffDocument struct {
	Schema   string           `json:"schema"`
	Run      string           `json:"run"`
	Step     plan.Address     `json:"step"`
	Attempt  int              `json:"attempt"`
	Method   string           `json:"method"`
	Kept     bool             `json:"kept"`
	Holds    bool             `json:"holds"` // exactly what was declared happened
	Declared ledger.Declared  `json:"declared"`
	Account  ledger.Account   `json:"account"`
	Changes  []changeDocument `json:"changes"`
	Symbols  []ledger.Symbol  `json:"symbols"`
	Lines    ledger.LineCount `json:"lines"`
	Git      []string         `json:"git_moved,omitempty"`
}

// A changeDocument is one change with its text.
type changeDocument struct {
	Change ledger.Change `json:"change"`
	Diff   string        `json:"diff,omitempty"` // as of diff -u
}

// diffJSON writes an entry for programs. Texts of changes are kept as they are:
// JSON escapes what a terminal would obey.
func diffJSON(ctx context.Context, w io.Writer, ws exec.Workspace, run *history.Run, s *history.Step,
	a *history.Attempt,
	entry *history.Accounted) error {
	doc := diffDocument{Schema: "planlock.diff/1", Run: run.Started.Run, Step: s.Address, Attempt: a.Number,
		Method: a.Method.Method,
		Kept:   stays(run, s, a), Holds: entry.Account.Holds(), Declared: entry.Declared, Account: entry.Account,
		Changes: []changeDocument{}, Symbols: entry.Symbols, Lines: entry.Lines, Git: entry.Git}
	if doc.Symbols == nil {
		doc.Symbols = []ledger.Symbol{}
	}
	err := ws.Unified(ctx, entry.Changes, func(ch ledger.Change, text string) error {
		doc.Changes = append(doc.Changes, changeDocument{ch, text})
		return nil
	})
	if err != nil {
		return err
	}
	return writeJSON(w, doc)
}
