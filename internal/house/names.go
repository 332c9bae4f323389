package main

import (
	"go/ast"
	"go/token"
	"strings"
)

// A name is exported at the top of a package.
type name struct {
	pkg        *pkg
	id         string
	at         token.Pos
	documented bool
	used       bool // see uses
}

// hidden tells whether nobody outside of the repository can import a package.
func (p *pkg) hidden() bool {
	return p.name == "main" || strings.Contains("/"+p.dir+"/", "/internal/") || strings.HasPrefix(p.dir, "examples")
}

// names are the exported names of all packages that a host can import.
func (r *repository) names() []*name {
	used := r.uses()
	var all []*name
	for _, p := range r.packages {
		if p.hidden() {
			continue
		}
		for _, f := range p.files {
			for _, n := range exported(f.ast) {
				n.pkg, n.used = p, used[p.path+"."+n.id]
				if !seen(all, n) {
					all = append(all, n)
				}
			}
		}
	}
	return all
}

// seen tells whether a name was there, in a file for another system.
func seen(all []*name, n *name) bool {
	for _, other := range all {
		if other.pkg == n.pkg && other.id == n.id {
			return true
		}
	}
	return false
}

// exported are the exported names at the top of a file, methods aside.
func exported(f *ast.File) []*name {
	var list []*name
	add := func(id *ast.Ident, documented bool) {
		if id.IsExported() {
			list = append(list, &name{id: id.Name, at: id.Pos(), documented: documented})
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name, d.Doc != nil)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(s.Name, s.Doc != nil || d.Doc != nil)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						add(id, s.Doc != nil || s.Comment != nil || d.Doc != nil)
					}
				}
			}
		}
	}
	return list
}

// methods counts those of every type of a package, by the type's name.
func (p *pkg) methods() map[string]int {
	count := map[string]int{}
	for _, f := range p.files {
		for _, d := range f.ast.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && len(f.Recv.List) == 1 {
				count[receiver(f.Recv.List[0].Type)]++
			}
		}
	}
	return count
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}
