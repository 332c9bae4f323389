// Package python reads Python with the parser of the Python that is on the
// machine: a script of ours, run by python3, parses what it is given and does
// not run it (internal/script).
//
// Names are as programs import them: package.module.Class.method. What stands
// before the last folder src of a path is left out, and so is __init__. A file
// whose folders or name have points in them is no module, and is not read.
//
// Public is what __all__ names, or else what begins with no underscore, names of
// modules included; of a class also methods such as __call__. A name that is
// imported is public where __all__ names it, where it is given its own name
// again (import x as x), and where an __init__ imports it from its package.
// Tests, and what lies below a folder tests, offer nothing.
//
// Parameters are passed by name, so a parameter that has another name, place or
// kind is a break, and so is one more that has to be given. Annotations, default
// values, values of variables and decorators may change what a program does, and
// break nobody who calls it. Where the surface shows only at run time it is
// undecided: __all__ that is computed, import *, a module's __getattr__, names
// that are made by globals(), setattr or exec.
package python

import (
	"context"
	_ "embed"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/internal/script"
)

// Language reads Python by a program. The zero value finds none, and reads
// nothing.
type Language struct {
	// Program is the path of a Python, 3.9 or later.
	Program string
}

var _ source.Language = Language{}

// Find is the language with the first python3 of the machine's path, and whether
// there is one. Scripts that look for another Python when they are started are
// passed over: what they find depends on who asks, and where.
func Find() (Language, bool) {
	p, ok := script.Find("python3")
	return Language{p}, ok
}

//go:embed read.py
var reader string

// Name is Python.
func (Language) Name() string { return "Python" }

// Reads reports whether a path is that of a module, or of a stub of one.
func (Language) Reads(p string) bool {
	ext := path.Ext(p)
	return (ext == ".py" || ext == ".pyi") && !strings.Contains(strings.TrimSuffix(p, ext), ".")
}

// maxRoots is how many folders may stand before the folder src of a symbol that
// is looked for.
const maxRoots = 3

// Places are the modules and packages that a symbol may be of.
func (Language) Places(symbol string) []string {
	parts := strings.Split(symbol, ".")
	if len(parts) < 2 || slices.Contains(parts[1:], "") || strings.Contains(symbol, "/") {
		return nil
	}
	var places []string
	for n := 1; n < len(parts); n++ {
		module := source.Literally(path.Join(parts[:n]...))
		for _, file := range []string{module + ".py", module + ".pyi", path.Join(module, "__init__.py"),
			path.Join(module, "__init__.pyi")} {
			if strings.HasPrefix(file, ".") {
				continue // the root has no name
			}
			for before, root := 0, ""; before <= maxRoots+1; before++ {
				places = append(places, root+file)
				root = strings.Repeat("*/", before) + "src/"
			}
		}
	}
	return places
}

// Read parses files, all at once.
func (l Language) Read(ctx context.Context, files []source.Input) ([]source.File, error) {
	args := []string{"-I", "-S", "-B", "-W", "ignore", "-c", reader}
	return script.Program{Path: l.Program, Args: args}.Read(ctx, files)
}
