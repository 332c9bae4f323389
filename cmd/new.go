package cmd

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/planlock/planlock/cmd/internal/project"
)

// templates are plans to begin with, named as their files. The first line of
// each is a comment that says what it is for.
//
//go:embed templates/*.toml
var templates embed.FS

const templateExt = ".toml"

// newCommand is "planlock new": it starts a plan from a template. It writes one
// file that must not be there yet, so that no plan is lost to a slip of the
// hand; - is standard output. Templates are files of this package, and their
// first line says what they are for.
type newCommand struct {
	arguments
	Out  string `short:"o" name:"output" default:"plan.toml" placeholder:"FILE" help:"write to a file; - is standard output"`
	From string `name:"from" placeholder:"FOLDER" help:"write a plan for the project in a folder: its language, test command and packages"`
	List bool   `help:"list the templates"`
}

// Run carries the command out.
func (f *newCommand) Run(_ context.Context, p *cli) error {
	if f.List {
		return listTemplates(p.out)
	}
	text, what, err := f.text()
	if err != nil {
		return err
	}
	if f.Out == "-" {
		_, err := p.out.Write(text)
		return err
	}
	if err := writeNew(f.Out, text); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already, name another file with -o", quoted(f.Out))
	} else if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.out, "%s  %s\nchange it, and see with  planlock check %s  what it still needs\n",
		escaped(f.Out), escaped(what), quoted(f.Out))
	return err
}

// text is the plan to begin with, and what it is for: that of a template, or one
// for a project that is there.
func (f *newCommand) text() (text []byte, what string, err error) {
	if f.From != "" {
		if len(f.Args) > 0 {
			return nil, "", &usageError{"new: a template or --from, not both"}
		}
		return planFrom(f.From)
	}
	name := "shell"
	if len(f.Args) > 0 {
		name = f.Args[0]
	}
	text, err = templates.ReadFile(path.Join("templates", name+templateExt))
	if err != nil {
		return nil, "", &usageError{fmt.Sprintf("new: there is no template %q; the templates are %s", name,
			strings.Join(templateNames(), ", "))}
	}
	return text, templateDoc(text), nil
}

// planFrom is a plan for the project in a folder, and what was found there.
func planFrom(dir string) (text []byte, what string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	p, err := project.Look(root.FS())
	if err != nil {
		return nil, "", fmt.Errorf("new: %s: %w; planlock new --list names the templates", quoted(dir), err)
	}
	plan, err := p.Plan()
	return []byte(plan), p.String(), err
}

// writeNew writes a file that must not be there.
func writeNew(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		return errors.Join(err, f.Close(), os.Remove(name))
	}
	return f.Close()
}

// listTemplates prints the templates with what they are for.
func listTemplates(w io.Writer) error {
	for _, name := range templateNames() {
		text, err := templates.ReadFile(path.Join("templates", name+templateExt))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%-8s %s\n", name, templateDoc(text)); err != nil {
			return err
		}
	}
	return nil
}

// templateNames are the names of the templates, sorted.
func templateNames() []string {
	files, _ := templates.ReadDir("templates") // it is a part of this program
	var all []string
	for _, f := range files {
		all = append(all, strings.TrimSuffix(f.Name(), templateExt))
	}
	return all
}

// templateDoc is what a template is for.
func templateDoc(text []byte) string {
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(line, "# ")
}
