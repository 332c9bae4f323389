package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/cmd/internal/paint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/document/html"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
)

// reportCommand is "planlock report": it draws what came of a run, or where it
// stands. What is printed names the commands of this program; what is kept
// beside the journal does not, so that any program can prove it. A file in the
// workspace of a run that is not over is warned of, since the run takes it for
// a change.
type reportCommand struct {
	arguments
	workspaceFlag
	summaryFlag
	Format       string `enum:"text,md,html,json,junit,sarif,github-summary,github-annotations,pull-request" default:"text" placeholder:"FORMAT" help:"the output's format: text, md, html or json; for services: junit (a test case for each step), sarif, github-summary, github-annotations or pull-request (its text)"`
	Out          string `short:"o" name:"output" placeholder:"FILE" help:"write to a file instead of standard output"`
	Checkpoint   string `placeholder:"ID" help:"draw the document of a checkpoint, as chk-20260120-103000, in YAML"`
	All          bool   `help:"draw all views of the run into its folder, and print where they are"`
	Declarations bool   `help:"only what the steps of an observing run changed, as TOML for the plan"`
}

// Run carries the command out.
func (f *reportCommand) Run(ctx context.Context, p *cli) error {
	ws := p.workspace(f.Dir)
	run, err := findRun(ctx, ws, f.first())
	if err != nil {
		return err
	}
	recorded, err := ws.Plan(ctx, run)
	if err != nil {
		return about(run, err)
	}
	if f.Summary {
		return about(run, p.writeSummaries(ctx, ws, run))
	}
	if f.All {
		return about(run, drawAll(ctx, p.out, ws, run))
	}
	if run.Sealed != nil {
		if err := ws.DrawViews(ctx, run); err != nil {
			p.warn("the views of the run could not be drawn again: %s",
				escaped(err.Error()))
		}
	}
	draw := drawingIn(f.Format)
	if f.Declarations {
		draw = document.Declarations
	}
	model, err := document.New(recorded, run, spellingOf(run, f.Dir, run.Policy.Given).spell)
	if err != nil {
		return err
	}
	if open := run.Questions(); len(open) > 0 {
		folder := ws.Questions()
		if a, err := folder.Given(*open[0]); err == nil {
			model.Answered(given(open[0], a))
		}
	}
	if f.Format == "html" {
		model.Compare("", func(changes []ledger.Change, each func(ledger.Change, string) error) error {
			return ws.Unified(ctx, changes, each)
		})
	}
	if f.Checkpoint != "" {
		defer ws.Reread(ctx, model, run)()
		file, err := model.Checkpoint(f.Checkpoint)
		var unknown *document.UnknownCheckpointError
		if errors.As(err, &unknown) {
			return &usageError{strings.TrimPrefix(err.Error(), "document: ")}
		}
		draw = func(w io.Writer, _ *document.Model) error { return file.Draw(w) }
	}
	if f.Out != "" {
		if run.Ended == nil && within(f.Dir, f.Out) {
			p.warn("%s lies in the workspace of a run that is not over, which takes it for a change that nobody declared: "+
				"remove it before the run goes on", escaped(f.Out))
		}
		return streamFile(f.Out, func(w io.Writer) error { return draw(w, model) })
	}
	if f.Format == "text" && f.Checkpoint == "" && !f.Declarations {
		return p.draw(p.out, paint.Report, func(w io.Writer) error { return draw(w, model) })
	}
	return draw(p.out, model)
}

// drawAll draws every view of a run into its folder and prints their places.
func drawAll(ctx context.Context, w io.Writer, ws exec.Workspace, run *history.Run) error {
	if err := ws.DrawViews(ctx, run); err != nil {
		return err
	}
	dir := ws.ViewDir(run.Started.Run)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		fmt.Fprintln(w, escaped(filepath.Join(dir, e.Name())))
	}
	return nil
}

// drawingIn is what draws a report in a format.
func drawingIn(format string) func(io.Writer, *document.Model) error {
	switch format {
	case "md":
		return document.Markdown
	case "html":
		return html.Page().Draw
	case "json":
		return document.JSON
	case "junit":
		return document.JUnit
	case "sarif":
		return document.SARIF
	case "github-summary":
		return document.JobSummary
	case "github-annotations":
		return document.Annotations
	case "pull-request":
		return document.PullRequest
	}
	return document.Text
}
