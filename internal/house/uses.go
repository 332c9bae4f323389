package main

import (
	"go/ast"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// uses are the names that somebody needs outside of their package, each behind
// the path of its package: those that other packages, examples or pages of the
// documentation name, what hosts meet in the signatures and fields of these,
// and the constants of their types. Tests of a package of its own name belong
// to it, but for their examples.
func (r *repository) uses() map[string]bool {
	used := map[string]bool{}
	for _, p := range r.packages {
		for _, f := range p.files {
			r.usesOf(f, used)
		}
		for _, f := range p.tests {
			r.usesOf(f, used)
		}
	}
	for _, f := range r.others {
		r.usesOf(f, used)
	}
	for _, page := range r.pages {
		r.usesOfPage(page, used)
	}
	for _, p := range r.packages {
		p.meet(used)
	}
	return used
}

func (r *repository) usesOf(f *file, used map[string]bool) {
	imports := map[string]string{}
	for _, spec := range f.ast.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		local := path.Base(importPath)
		if p := r.byPath(importPath); p != nil {
			local = p.name
		}
		if spec.Name != nil {
			local = spec.Name.Name
		}
		imports[local] = importPath
	}
	for _, d := range f.ast.Decls {
		own := f.test && !example(d)
		ast.Inspect(d, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := selector.X.(*ast.Ident); ok {
				if importPath := imports[x.Name]; importPath != "" && (!own || importPath != f.path) {
					used[importPath+"."+selector.Sel.Name] = true
				}
			}
			return true
		})
	}
}

func (r *repository) byPath(importPath string) *pkg {
	for _, p := range r.packages {
		if p.path == importPath {
			return p
		}
	}
	return nil
}

func example(d ast.Decl) bool {
	f, ok := d.(*ast.FuncDecl)
	return ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Example")
}

var qualified = regexp.MustCompile(`\b([a-z][a-z0-9]*)\.([A-Z]\w*)`)

// usesOfPage are the names that a page tells hosts of.
func (r *repository) usesOfPage(text []byte, used map[string]bool) {
	for _, m := range qualified.FindAllSubmatch(text, -1) {
		for _, p := range r.packages {
			if p.name == string(m[1]) {
				used[p.path+"."+string(m[2])] = true
			}
		}
	}
}

// meet adds what whoever uses a name of the package gets to see of others in
// it, until nothing is added any more.
func (p *pkg) meet(used map[string]bool) {
	for more := true; more; {
		more = false
		for _, f := range p.files {
			for of, ids := range meets(f.ast) {
				if !used[p.path+"."+of] {
					continue
				}
				for _, id := range ids {
					if key := p.path + "." + id; !used[key] {
						used[key], more = true, true
					}
				}
			}
		}
	}
}

// meets are, for each name at the top of a file, the exported names that its
// signature, exported fields and exported methods show, and the constants of a
// type.
func meets(f *ast.File) map[string][]string {
	list := map[string][]string{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			of := d.Name.Name
			if d.Recv != nil && len(d.Recv.List) == 1 && ast.IsExported(of) {
				of = receiver(d.Recv.List[0].Type)
			}
			list[of] = append(list[of], shown(d.Type)...)
		case *ast.GenDecl:
			last := ""
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					list[s.Name.Name] = append(list[s.Name.Name], shown(s.Type)...)
				case *ast.ValueSpec:
					if s.Type != nil || len(s.Values) > 0 {
						last = typeOf(s)
					}
					for _, id := range s.Names {
						list[last] = append(list[last], id.Name)
					}
				}
			}
		}
	}
	return list
}

// typeOf is the type that a constant is declared with, empty where it is only
// known to whoever looks at its value.
func typeOf(s *ast.ValueSpec) string {
	if id, ok := s.Type.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// shown are the exported names in a type, fields that are not exported aside.
func shown(e ast.Expr) (ids []string) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			return len(n.Names) == 0 || n.Names[0].IsExported() || !isField(e)
		case *ast.SelectorExpr:
			return false // of another package
		case *ast.Ident:
			if n.IsExported() {
				ids = append(ids, n.Name)
			}
		}
		return true
	})
	return ids
}

func isField(e ast.Expr) bool {
	_, ok := e.(*ast.StructType)
	return ok
}
