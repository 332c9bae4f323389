package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/planlock/planlock/ledger/source"
)

var _ source.Signer = Language{}

// Signature is that of a function, of a method, or of a type that is a function.
func (Language) Signature(in source.Input, symbol string) (source.Signature, bool) {
	fset, f, _ := parse(in.Content)
	if f == nil {
		return source.Signature{}, false
	}
	folder := in.Path[:max(0, strings.LastIndexByte(in.Path, '/'))] + "."
	imports := map[string]string{}
	for name, p := range importsOf(f) {
		imports[name] = guessName(p)
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if folder+localName(d) == symbol {
				return signed(fset, d.Name, d.Type, imports), true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				t, ok := spec.(*ast.TypeSpec)
				if !ok || folder+t.Name.Name != symbol {
					continue
				}
				if f, ok := t.Type.(*ast.FuncType); ok {
					return signed(fset, t.Name, f, imports), true
				}
			}
		}
	}
	return source.Signature{}, false
}

// signed writes what a function takes and gives.
func signed(fset *token.FileSet, at *ast.Ident, t *ast.FuncType, imports map[string]string) source.Signature {
	s := source.Signature{Inputs: typesOf(t.Params, imports), Outputs: typesOf(t.Results, imports),
		Line: fset.PositionFor(at.Pos(), false).Line}
	if n := len(s.Outputs); n > 0 && s.Outputs[n-1] == "error" {
		s.Outputs, s.Errors = s.Outputs[:n-1], true
	}
	return s
}

// typesOf are the types of parameters, one for each.
func typesOf(l *ast.FieldList, imports map[string]string) []string {
	var all []string
	if l == nil {
		return nil
	}
	for _, f := range l.List {
		text := plainType(f.Type, imports)
		for range max(1, len(f.Names)) {
			all = append(all, text)
		}
	}
	return all
}

// plainType writes a type with packages by their own names, whatever a file
// calls them, and with any for the interface of nothing.
func plainType(x ast.Expr, imports map[string]string) string {
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType:
			unname(n.Params)
			unname(n.Results)
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && imports[id.Name] != "" {
				id.Name = imports[id.Name]
			}
		}
		return true
	})
	return strings.ReplaceAll(exprText(x), "interface{}", "any")
}

// Types reads types of parameters one by one: "string", "key string", "a, b int".
func (Language) Types(list []string) ([]string, bool) {
	var all []string
	for _, text := range list {
		text = strings.TrimSpace(text)
		x, err := parser.ParseExpr("func(" + text + ")")
		f, ok := x.(*ast.FuncType)
		if err != nil || !ok || text == "" || f.Results != nil || len(f.Params.List) != 1 ||
			!spells(f.Params.List[0].Type) {
			return nil, false
		}
		all = append(all, typesOf(f.Params, nil)...)
	}
	return all, true
}

// spells reports whether an expression can be a type.
func spells(x ast.Expr) bool {
	switch x.(type) {
	case *ast.BasicLit, *ast.CallExpr, *ast.BinaryExpr, *ast.UnaryExpr, *ast.CompositeLit, *ast.FuncLit, *ast.BadExpr:
		return false
	}
	return true
}
