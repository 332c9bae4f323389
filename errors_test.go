package planlock_test

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated documents again")

const errorsPage = "docs/errors.md"

const errorsHead = `# Errors

Every error that a caller may branch on: sentinels with ` + "`errors.Is`" + `, types with ` + "`errors.As`" + `. The texts are for people and may change.
What is wrong with a plan is a diagnostic, listed in [diagnostics.md](diagnostics.md). The command turns errors into exit
statuses, listed in [cli.md](cli.md).

This page is drawn from the code: ` + "`go test . -run TestErrorsPage -update`" + `.

`

// TestErrorsPage holds the page of errors to the code.
func TestErrorsPage(t *testing.T) {
	var page strings.Builder
	page.WriteString(errorsHead)
	for _, dir := range publicFolders(t) {
		list := exportedErrors(t, dir)
		if len(list) == 0 {
			continue
		}
		fmt.Fprintf(&page, "## %s\n\n| error | what it says |\n|---|---|\n", dir)
		for _, e := range list {
			fmt.Fprintf(&page, "| `%s` | %s |\n", e.name, e.says)
		}
		page.WriteString("\n")
	}
	drawn(t, errorsPage, page.String())
}

// drawn holds a page to the text that is drawn from the code.
func drawn(t *testing.T, path, text string) {
	t.Helper()
	text = strings.TrimRight(text, "\n") + "\n"
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != text {
		t.Errorf("%s is not what the code says (%v): run this test with -update", path, err)
	}
}

// TestEverythingExportedIsDocumented looks at every exported name of every
// public package.
func TestEverythingExportedIsDocumented(t *testing.T) {
	for _, dir := range publicFolders(t) {
		p := documentation(t, dir)
		if p.Doc == "" {
			t.Errorf("package %s has no documentation", dir)
		}
		undocumented := func(name, doc string) {
			if doc == "" && ast.IsExported(name) {
				t.Errorf("%s: %s is not documented", dir, name)
			}
		}
		values := func(groups []*doc.Value) {
			for _, v := range groups {
				for _, spec := range v.Decl.Specs {
					s := spec.(*ast.ValueSpec)
					for _, name := range s.Names {
						undocumented(name.Name, v.Doc+s.Doc.Text()+s.Comment.Text())
					}
				}
			}
		}
		functions := func(prefix string, list []*doc.Func) {
			for _, f := range list {
				if ast.IsExported(f.Name) {
					undocumented(prefix+f.Name, f.Doc)
				}
			}
		}
		values(p.Consts)
		values(p.Vars)
		functions("", p.Funcs)
		for _, typ := range p.Types {
			undocumented(typ.Name, typ.Doc)
			values(typ.Consts)
			values(typ.Vars)
			functions("", typ.Funcs)
			for _, m := range typ.Methods {
				if ast.IsExported(typ.Name) && ast.IsExported(m.Name) && m.Doc == "" && !selfEvident(m.Name) {
					t.Errorf("%s: %s.%s is not documented", dir, typ.Name, m.Name)
				}
			}
		}
	}
}

// selfEvident methods say all in their interface.
func selfEvident(name string) bool {
	return slices.Contains([]string{"Error", "String", "Unwrap", "Type", "MarshalJSON", "UnmarshalJSON"}, name)
}

type exported struct{ name, says string }

// exportedErrors are the sentinels and error types of a package, sorted.
func exportedErrors(t *testing.T, dir string) []exported {
	p := documentation(t, dir)
	var list []exported
	add := func(name, text string) {
		first := p.Synopsis(text)
		list = append(list, exported{p.Name + "." + name, strings.ReplaceAll(first, "|", "\\|")})
	}
	vars := slices.Clone(p.Vars)
	for _, typ := range p.Types {
		vars = append(vars, typ.Vars...)
		if strings.HasSuffix(typ.Name, "Error") {
			add(typ.Name, typ.Doc)
		}
	}
	for _, v := range vars {
		for _, spec := range v.Decl.Specs {
			s := spec.(*ast.ValueSpec)
			for _, name := range s.Names {
				if strings.HasPrefix(name.Name, "Err") && ast.IsExported(name.Name) {
					add(name.Name, cmp.Or(s.Doc.Text(), v.Doc))
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b exported) int { return cmp.Compare(a.name, b.name) })
	return list
}

// publicFolders are the folders of the packages that a host may import.
func publicFolders(t *testing.T) []string {
	t.Helper()
	var dirs []string
	for _, room := range []string{"ledger", "plan", "envelope", "checkpoint", "gate", "exec"} {
		err := filepath.WalkDir(room, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || d.Name() == "internal"):
				return fs.SkipDir
			case d.IsDir():
				if files, _ := filepath.Glob(filepath.Join(path, "*.go")); len(files) > 0 {
					dirs = append(dirs, filepath.ToSlash(path))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return dirs
}

func documentation(t *testing.T, dir string) *doc.Package {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(set, files, module+"/"+dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
