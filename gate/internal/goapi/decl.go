package goapi

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"runtime/debug"
)

// parse reads one file. What could be read of a broken file comes back beside
// the error.
func parse(name string, src []byte, mode parser.Mode) (fset *token.FileSet, f *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("goapi: %s: the parser panicked: %v\n%s", name, r, debug.Stack())
		}
	}()
	fset = token.NewFileSet()
	f, err = parser.ParseFile(fset, name, src, mode|parser.SkipObjectResolution)
	return fset, f, err
}

// localName is what a function or method is called within its folder: Name or
// Type.Method.
func localName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	base, _, _ := receiver(d)
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
