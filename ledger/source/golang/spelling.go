package golang

import (
	"go/ast"
	"path"
	"strconv"
	"strings"
)

// A spelling writes types so that two files which mean the same write the same:
// imported packages by their path, type parameters by their number, parameters
// without names.
type spelling struct {
	imports map[string]string // name in the file: path
	params  map[string]string // name of a type parameter: its number
}

// importsOf maps the names under which a file knows its imports to their paths.
func importsOf(f *ast.File) map[string]string {
	out := map[string]string{}
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := guessName(p)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		out[name] = p
	}
	return out
}

// guessName is the name that a package of this path most likely has.
func guessName(p string) string {
	base := path.Base(p)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" && path.Dir(p) != "." {
		base = path.Base(path.Dir(p))
	}
	base, _, _ = strings.Cut(base, ".")
	return strings.TrimPrefix(base, "go-")
}

// with adds type parameters, numbered on from those that are there.
func (s spelling) with(names []*ast.Ident) spelling {
	params := map[string]string{}
	for k, v := range s.params {
		params[k] = v
	}
	for n, id := range names {
		params[id.Name] = "$" + strconv.Itoa(n)
	}
	return spelling{s.imports, params}
}

// text writes x. It changes x, so that a second call writes the same.
func (s spelling) text(x ast.Expr) string {
	if x == nil {
		return ""
	}
	s.rewrite(x)
	return exprText(x)
}

// rewrite replaces names in a tree by what they mean.
func (s spelling) rewrite(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if p, ok := s.params[n.Name]; ok {
				n.Name = p
			}
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && s.imports[id.Name] != "" {
				id.Name = strconv.Quote(s.imports[id.Name])
				return false
			}
			s.rewrite(n.X)
			return false
		case *ast.CompositeLit: // what a value holds does not decide its type
			n.Elts = nil
		case *ast.FuncLit:
			n.Body = &ast.BlockStmt{}
		case *ast.FuncType:
			unname(n.Params)
			unname(n.Results)
		case *ast.Field:
			s.rewrite(n.Type)
			return false
		}
		return true
	})
}

// unname drops the names of parameters, keeping how many there are.
func unname(l *ast.FieldList) {
	if l == nil {
		return
	}
	var list []*ast.Field
	for _, f := range l.List {
		for range max(1, len(f.Names)) {
			list = append(list, &ast.Field{Type: f.Type})
		}
	}
	l.List = list
}

// typeParams spells a list of type parameters by their constraints alone.
func (s spelling) typeParams(l *ast.FieldList) string {
	if l == nil {
		return ""
	}
	var out []string
	for _, f := range l.List {
		for range f.Names {
			out = append(out, s.text(f.Type))
		}
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// namesOf are the names in a list of parameters, in order.
func namesOf(l *ast.FieldList) []*ast.Ident {
	var out []*ast.Ident
	if l != nil {
		for _, f := range l.List {
			out = append(out, f.Names...)
		}
	}
	return out
}
