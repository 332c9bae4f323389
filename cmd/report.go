package cmd

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/history"
)

func prepareReport(p *cli, flags *flag.FlagSet) action {
	dir := flags.String("dir", ".", "the workspace, a `folder`")
	format := flags.String("format", "text", "the output's `format`: text, md, html or json")
	out := flags.String("o", "", "write to a `file` instead of standard output")
	all := flags.Bool("all", false, "draws all views of the run into its folder, and prints where they are")
	declarations := flags.Bool("declarations", false, "only what the steps of an observing run changed, as TOML for the plan")
	return func(ctx context.Context, args []string) error {
		if err := oneOf("format", *format, "text", "md", "html", "json"); err != nil {
			return err
		}
		ws := workspaceIn(*dir)
		run, err := findRun(ctx, ws, first(args))
		if err != nil {
			return placed(err, *dir, "", nil)
		}
		recorded, err := ws.Plan(ctx, run)
		if err != nil {
			return placed(err, *dir, "", run)
		}
		if *all {
			return placed(p.drawAll(ctx, ws, run), *dir, "", run)
		}
		if run.Sealed != nil {
			if err := ws.DrawViews(ctx, run); err != nil {
				fmt.Fprintf(p.err, "planlock: warning: the views of the run could not be drawn again: %s\n", escaped(err.Error()))
			}
		}
		draw := drawing(*format)
		if *declarations {
			draw = document.Declarations
		}
		text, err := draw(recorded, run, spellingOf(run, *dir, resumeFrom(run, *dir)).spell)
		if err != nil {
			return err
		}
		if *out != "" {
			if run.Ended == nil && within(*dir, *out) {
				fmt.Fprintf(p.err, "planlock: warning: %s lies in the workspace of a run that is not over, which takes it for a change that nobody declared: "+
					"remove it before the run goes on\n", escaped(*out))
			}
			return writeFile(*out, text)
		}
		_, err = p.out.Write(text)
		return err
	}
}

// drawAll draws every view of a run into its folder and prints their places.
func (p *cli) drawAll(ctx context.Context, ws exec.Workspace, run *history.Run) error {
	if err := ws.DrawViews(ctx, run); err != nil {
		return err
	}
	dir := ws.ViewDir(run.Started.Run)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		fmt.Fprintln(p.out, escaped(filepath.Join(dir, e.Name())))
	}
	return nil
}

// within reports whether a file lies, or would lie, in the tree of a workspace.
func within(dir, file string) bool {
	root, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	folder, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return false
	}
	for _, p := range []*string{&root, &folder} {
		if real, err := filepath.EvalSymlinks(*p); err == nil {
			*p = real
		}
	}
	rel, err := filepath.Rel(root, folder)
	return err == nil && filepath.IsLocal(rel) && rel != ".planlock" && !strings.HasPrefix(rel, ".planlock"+string(filepath.Separator))
}

// drawing is what draws a report in a format.
func drawing(format string) document.Drawing {
	switch format {
	case "md":
		return document.Markdown
	case "html":
		return document.HTML
	case "json":
		return document.JSON
	}
	return document.Text
}

func prepareVerify(p *cli, flags *flag.FlagSet) action {
	dir := flags.String("dir", ".", "the workspace, a `folder`")
	store := flags.Bool("store", false, "reads all that is kept for any run instead, and names what is damaged or missing and who needs it")
	return func(ctx context.Context, args []string) error {
		if *store && len(args) > 0 {
			return &usageError{"verify: --store is about all runs, so it takes none"}
		}
		if *store {
			return placed(p.verifyStore(ctx, *dir), *dir, "", nil)
		}
		ws := workspaceIn(*dir)
		id, err := find(ws, first(args))
		if err != nil {
			return placed(err, *dir, "", nil)
		}
		proof, err := ws.Verify(ctx, id)
		if err != nil {
			return placed(err, *dir, "", nil)
		}
		fmt.Fprintf(p.out, "run %s holds: %s, %s with %s, %s\n", id, plural(proof.Records, "record"),
			plural(proof.Trees, "tree"), plural(proof.Contents, "content"), plural(proof.Views, "view"))
		if proof.Run.Sealed == nil {
			fmt.Fprintf(p.out, "It is not sealed (%s): views are proved once it has ended.\n", proof.Run.Status)
		}
		return nil
	}
}
