package lazyre_test

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryPatternCompiles reads the source of the whole module. What is given
// to New is a constant and a regular expression, so that no user ever meets the
// panic; and no package variable is compiled at the start of a program instead.
func TestEveryPatternCompiles(t *testing.T) {
	found := 0
	for _, dir := range folders(t, filepath.Join("..", "..")) {
		found += patterns(t, dir)
	}
	if found == 0 {
		t.Error("no pattern was found in the whole module")
	}
}

// patterns checks one folder and returns how many patterns it has.
func patterns(t *testing.T, dir string) int {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	positions, files, uses := token.NewFileSet(), []*ast.File(nil), false
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(positions, name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
		uses = uses || strings.Contains(string(text), "lazyre.New") || strings.Contains(string(text), "regexp.MustCompile")
	}
	if !uses {
		return 0
	}
	// Only the constants of the package itself matter here: what it imports is
	// not looked for, and what is therefore unknown is no error.
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	lenient := types.Config{Importer: nothing{}, Error: func(error) {}}
	_, _ = lenient.Check(dir, positions, files, &info)

	found := 0
	var look func(n ast.Node, atStart bool)
	look = func(n ast.Node, atStart bool) {
		ast.Inspect(n, func(n ast.Node) bool {
			if f, ok := n.(*ast.FuncLit); ok {
				look(f.Body, false)
				return false
			}
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			at := positions.Position(call.Pos())
			if atStart && calls(call, "regexp", "MustCompile") {
				t.Errorf("%s: this is compiled at the start of every program, also of one that never uses it; write lazyre.New", at)
			}
			if calls(call, "lazyre", "New") && len(call.Args) == 1 {
				found++
				value := info.Types[call.Args[0]].Value
				if value == nil || value.Kind() != constant.String {
					t.Errorf("%s: the pattern is not a constant, so that no test can compile it; write regexp.MustCompile where it is used", at)
				} else if _, err := regexp.Compile(constant.StringVal(value)); err != nil {
					t.Errorf("%s: %v", at, err)
				}
			}
			return true
		})
	}
	for _, file := range files {
		for _, d := range file.Decls {
			_, variables := d.(*ast.GenDecl)
			look(d, variables)
		}
	}
	return found
}

// calls reports whether this is a call of a function of a package, by the name
// that the package has where it is not renamed.
func calls(call *ast.CallExpr, pkg, function string) bool {
	called, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || called.Sel.Name != function {
		return false
	}
	from, ok := called.X.(*ast.Ident)
	return ok && from.Name == pkg
}

// folders are those with source of the module, and of the modules in it, but
// for programs that only developers run.
func folders(t *testing.T, root string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		tool := d.Name() == "house" || d.Name() == "limits"
		if name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || tool && fileIsThere(name, "go.mod")) {
			return fs.SkipDir
		}
		found = append(found, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func fileIsThere(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// nothing imports nothing.
type nothing struct{}

var errNothing = errors.New("not looked for")

func (nothing) Import(string) (*types.Package, error) { return nil, errNothing }
