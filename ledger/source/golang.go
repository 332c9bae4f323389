package source

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// goSymbols are the symbols that a Go file declares, in the order of the file
// and without an Op. path, relative to the root, gives their folder. With an
// error, which is one of syntax, come the symbols that could be read all the
// same.
func goSymbols(path string, content []byte) ([]ledger.Symbol, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", content, parser.SkipObjectResolution)
	if err != nil {
		err = fmt.Errorf("source: %q: %w", path, err)
	}
	if file == nil {
		return nil, err
	}
	folder := path[:max(0, strings.LastIndexByte(path, '/'))]
	var symbols []ledger.Symbol
	add := func(name *ast.Ident, prefix string) {
		if name == nil || name.Name == "_" {
			return
		}
		// Line directives would move the place to another file.
		line := files.PositionFor(name.Pos(), false).Line
		symbols = append(symbols, ledger.Symbol{Name: folder + "." + prefix + name.Name, Path: path, Line: line})
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				if d.Name.Name != "init" {
					add(d.Name, "")
				}
			} else if base := receiver(d.Recv); base != "" {
				add(d.Name, base+".")
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name, "")
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						add(name, "")
					}
				}
			}
		}
	}
	return symbols, err
}

// receiver is the name of a method's type, without pointer, parentheses and
// type parameters.
func receiver(list *ast.FieldList) string {
	if len(list.List) == 0 {
		return ""
	}
	expr := list.List[0].Type
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.ParenExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.Ident:
			if e.Name == "_" {
				return ""
			}
			return e.Name
		default:
			return ""
		}
	}
}
