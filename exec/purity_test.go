package exec_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/planlock/planlock/"

// Deciders compute and do nothing else: equal inputs give equal results, on
// every machine. That holds for their own files and for all that they import of
// ours, also through others.
var (
	deciders = []string{"exec/internal/engine", "exec/internal/analysis"}
	impure   = []string{"os", "net", "os/exec", "math/rand", "math/rand/v2", "crypto/rand", "syscall", "net/http",
		"path/filepath"}
	clocks = []string{"Now", "Since", "Until", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick", "Sleep"}
)

// anyOrder stands in a comment beside a loop over a map whose result does not
// depend on the order.
const anyOrder = "in any order"

type listed struct {
	ImportPath, Dir, Export string
	GoFiles, Imports        []string
}

// TestWhatDecidesIsPure holds deciders to it: no file, process, network, clock,
// chance or order of a map.
func TestWhatDecidesIsPure(t *testing.T) {
	all := packages(t)
	fset := token.NewFileSet()
	gc := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser,
		error) {
		return os.Open(all[path].Export)
	})
	for path, p := range all {
		if !strings.HasPrefix(path, module) {
			continue
		}
		for _, imported := range p.Imports {
			if slices.Contains(impure, imported) {
				t.Errorf("%s imports %s", path, imported)
			}
		}
		var files []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
		if _, err := (&types.Config{Importer: gc}).Check(p.ImportPath, fset, files, info); err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			looksAtNoClock(t, fset, file, info)
			ordersMaps(t, fset, file, info)
		}
	}
}

// packages are the deciders and all that they import, with what the compiler
// says of them.
func packages(t *testing.T) map[string]listed {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Imports"}
	for _, path := range deciders {
		args = append(args, module+path)
	}
	out, err := osexec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]listed{}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p listed
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all[p.ImportPath] = p
	}
	return all
}

func looksAtNoClock(t *testing.T, fset *token.FileSet, file *ast.File, info *types.Info) {
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			f, ok := info.Uses[id].(*types.Func)
			if ok && f.Pkg() != nil && f.Pkg().Path() == "time" && f.Signature().Recv() == nil &&
				slices.Contains(clocks, f.Name()) {
				t.Errorf("%s: time.%s", fset.Position(id.Pos()), f.Name())
			}
		}
		return true
	})
}

// ordersMaps refuses loops over maps that do not say beside them why the order
// does not matter.
func ordersMaps(t *testing.T, fset *token.FileSet, file *ast.File, info *types.Info) {
	said := map[int]bool{}
	for _, group := range file.Comments {
		if strings.Contains(group.Text(), anyOrder) {
			said[fset.Position(group.Pos()).Line], said[fset.Position(group.End()).Line+1] = true, true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		loop, ok := n.(*ast.RangeStmt)
		if !ok {
			return true
		}
		over := info.TypeOf(loop.X)
		if over == nil {
			return true
		}
		if _, ok := over.Underlying().(*types.Map); ok && !said[fset.Position(loop.Pos()).Line] {
			t.Errorf("%s: a loop over a map; sort it, or say beside it why it is done %q", fset.Position(loop.Pos()),
				anyOrder)
		}
		return true
	})
}
