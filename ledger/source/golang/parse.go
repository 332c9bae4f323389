package golang

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"

	"github.com/planlock/planlock/ledger/source"
)

// maxFaults bounds the faults of one file.
const maxFaults = 10

// parse reads one file. What could be read of a broken file comes back beside
// its faults; f is nil if that is nothing.
func parse(src []byte) (fset *token.FileSet, f *ast.File, faults []source.Fault) {
	defer func() {
		if r := recover(); r != nil {
			f, faults = nil, []source.Fault{{Line: 1, Why: fmt.Sprintf("the parser gave up: %v", r)}}
		}
	}()
	fset = token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	return fset, f, faultsOf(err)
}

// faultsOf are the faults that an error of the parser stands for.
func faultsOf(err error) []source.Fault {
	var list scanner.ErrorList
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &list) || len(list) == 0:
		return []source.Fault{{Line: 1, Why: err.Error()}}
	}
	var faults []source.Fault
	for _, e := range list[:min(len(list), maxFaults)] {
		faults = append(faults, source.Fault{Line: max(1, e.Pos.Line), Why: e.Msg})
	}
	return faults
}

// localName is what a function or method is called within its folder, Name or
// Type.Method; "" if it has no name that anybody could write.
func localName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		if d.Name.Name == "init" {
			return ""
		}
		return d.Name.Name
	}
	base, _, _ := receiver(d)
	if base == "" || base == "_" || d.Name.Name == "_" {
		return ""
	}
	return base + "." + d.Name.Name
}

// receiver takes the receiver of a method apart: the type's name, whether it is
// a pointer, and the names of type parameters.
func receiver(d *ast.FuncDecl) (base string, pointer bool, params []*ast.Ident) {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return "", false, nil
	}
	x := d.Recv.List[0].Type
	for {
		switch t := x.(type) {
		case *ast.ParenExpr:
			x = t.X
		case *ast.StarExpr:
			pointer, x = true, t.X
		case *ast.IndexExpr:
			params = append(params, identsOf(t.Index)...)
			x = t.X
		case *ast.IndexListExpr:
			params = append(params, identsOf(t.Indices...)...)
			x = t.X
		case *ast.Ident:
			return t.Name, pointer, params
		default:
			return "", pointer, params
		}
	}
}

// identsOf are those of some expressions that are a single name.
func identsOf(exprs ...ast.Expr) []*ast.Ident {
	var out []*ast.Ident
	for _, x := range exprs {
		if id, ok := x.(*ast.Ident); ok {
			out = append(out, id)
		}
	}
	return out
}
