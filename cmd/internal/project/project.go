// Package project looks at a folder for what a plan of a change in it needs to
// know: the language, how it is tested, and which packages there are.
package project

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
)

// A Project is what was found in a folder. Its texts are names and commands that
// can be written down as they are: what could not was left out.
type Project struct {
	Language string   // as people call it
	Marker   string   // the file by which it was recognised
	Tool     string   // the program that tests it
	Test     string   // the command that tests all of it
	Untested bool     // it finds no test yet, and fails by that
	Builds   string   // the package pattern of a Go module; "" of anything else
	Packages []string // in the order of their names, the root as "."
	Settled  []string // files that say what it depends on, and how it is built
	// Code and its test are the files that a first change would create; both
	// are "" where nobody knows how tests are named. One is the command that
	// runs this test alone.
	Code, CodeTest, One string
	// Symbols are those that the files would declare, the test's first; nil
	// where they are not accounted.
	Symbols []string
}

// ErrUnknown says that a folder has none of the files that tell what it is.
var ErrUnknown = errors.New("there is no go.mod, package.json, pyproject.toml, setup.py, setup.cfg, " +
	"requirements.txt, Cargo.toml or Makefile with a test target")

// Look looks at a folder. Of several languages the first of Go, Rust, Node and
// Python is the project's; a Makefile is what is left.
func Look(dir fs.FS) (*Project, error) {
	for _, look := range []func(fs.FS) *Project{golang, rust, node, python, makefile} {
		if p := look(dir); p != nil {
			return p, nil
		}
	}
	return nil, ErrUnknown
}

// most is how large a file may be that is read, and deep how many folders below
// the root packages are looked for.
const (
	most = 1 << 20
	deep = 4
)

// read is the text of a file; "" where there is none, or too much of it.
func read(dir fs.FS, name string) string {
	info, err := fs.Stat(dir, name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return ""
	}
	text, err := fs.ReadFile(dir, name)
	if err != nil {
		return ""
	}
	return string(text)
}

// there are those of the files that are there.
func there(dir fs.FS, names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		info, err := fs.Stat(dir, name)
		return err != nil || !info.Mode().IsRegular()
	})
}

// plain is a name that means nothing else in a plan, a glob or a shell.
var plain = lazyre.New(`^[A-Za-z0-9_@][A-Za-z0-9_.@/-]*$`)

// foreign are folders in which nothing of the project's own lies.
var foreign = []string{"vendor", "testdata", "node_modules", "target", "dist", "build", "venv", "__pycache__"}

// folders are those in which a file lies of which has says that it makes a
// package, sorted, the root as ".".
func folders(dir fs.FS, has func(name string) bool) []string {
	var all []string
	fs.WalkDir(dir, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return nil
		case e.IsDir() && (strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_") ||
			slices.Contains(foreign, e.Name()) || strings.Count(name, "/") >= deep || !plain.MatchString(name)):
			return fs.SkipDir
		case e.Type().IsRegular() && has(e.Name()):
			all = append(all, path.Dir(name))
		}
		return nil
	})
	slices.Sort(all)
	return slices.Compact(all)
}
