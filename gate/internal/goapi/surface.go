package goapi

import (
	"go/ast"
	"go/build/constraint"
	"go/token"
	"strconv"
)

// A Surface is the exported API of one folder, as its files spell it. Files for
// different systems may declare a name more than once; every variant is kept.
type Surface struct {
	decls map[string][]decl
}

// A decl is one exported declaration.
type decl struct {
	kind    string            // "function", "method", "constant", "variable", "type", "struct", "interface"
	text    string            // what must stay the same
	value   string            // what may change without breaking a caller that compiles
	pointer bool              // of a method: the receiver is a pointer
	members map[string]string // of a struct or interface
	sealed  bool              // of an interface: has an unexported method
	when    constraint.Expr   // in which builds it is there; nil: in all
	path    string
	line    int
}

// Add reads a file. Package main and test files have no surface; leave them
// out. What could be read of a broken file is added, beside the error.
func (s *Surface) Add(path string, src []byte) error {
	fset, f, err := parse(path, src, 0)
	if f == nil {
		return err
	}
	if f.Name != nil && f.Name.Name == "main" {
		return err
	}
	if s.decls == nil {
		s.decls = map[string][]decl{}
	}
	r := reader{s, fset, path, built(path, src), spelling{imports: importsOf(f)}}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			r.function(d)
		case *ast.GenDecl:
			r.group(d)
		}
	}
	return err
}

// A reader adds one file to a surface.
type reader struct {
	surface *Surface
	fset    *token.FileSet
	path    string
	when    constraint.Expr
	spell   spelling
}

// add notes a declaration of a name, with the builds that its file belongs to.
// A name may have several, one for each system say.
func (r reader) add(name string, at token.Pos, d decl) {
	d.when, d.path, d.line = r.when, r.path, r.fset.PositionFor(at, false).Line
	r.surface.decls[name] = append(r.surface.decls[name], d)
}

// function notes an exported function, or a method with the type that it
// belongs to. Methods of types that are not exported are left out.
func (r reader) function(d *ast.FuncDecl) {
	if !d.Name.IsExported() {
		return
	}
	if d.Recv == nil {
		s := r.spell.with(namesOf(d.Type.TypeParams))
		params := s.typeParams(d.Type.TypeParams)
		d.Type.TypeParams = nil
		r.add(d.Name.Name, d.Pos(), decl{kind: "function", text: params + s.text(d.Type)})
		return
	}
	base, pointer, params := receiver(d)
	if ast.IsExported(base) {
		r.add(base+"."+d.Name.Name, d.Pos(), decl{kind: "method", text: r.spell.with(params).text(d.Type),
			pointer: pointer})
	}
}

// group notes the types, constants and variables of one declaration.
func (r reader) group(d *ast.GenDecl) {
	var carried ast.ValueSpec // a constant without a value repeats the one above
	for n, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				r.typ(s)
			}
		case *ast.ValueSpec:
			if d.Tok == token.VAR || len(s.Values) > 0 || s.Type != nil {
				carried = *s
			}
			r.values(d.Tok, n, s.Names, &carried)
		}
	}
}

// values notes exported constants and variables, with their type where it is
// written.
func (r reader) values(tok token.Token, place int, names []*ast.Ident, s *ast.ValueSpec) {
	kind := "variable"
	if tok == token.CONST {
		kind = "constant"
	}
	for i, id := range names {
		if !id.IsExported() {
			continue
		}
		d := decl{kind: kind}
		if s.Type != nil {
			d.text = r.spell.text(s.Type)
		}
		switch {
		case i < len(s.Values):
			r.value(&d, s.Values[i], s.Type == nil, place)
		case len(s.Values) == 1: // several names, one call
			r.value(&d, s.Values[0], s.Type == nil, place)
			d.text += " result " + strconv.Itoa(i)
		}
		r.add(id.Name, id.Pos(), d)
	}
}

// value says what a constant or a variable is set to. Where no type is written
// it says what the spelling of the value shows of it. The place in the group
// belongs to a value that counts by iota.
func (r reader) value(d *decl, x ast.Expr, inferred bool, place int) {
	iota := mentionsIota(x)
	if inferred {
		d.text = r.spell.shape(x)
	}
	d.value = r.spell.text(x)
	if iota {
		d.value += " at place " + strconv.Itoa(place)
	}
}

// typ notes a type: an alias by its target, a struct and an interface by their
// members, and everything else by its spelling.
func (r reader) typ(s *ast.TypeSpec) {
	spell := r.spell.with(namesOf(s.TypeParams))
	d := decl{kind: "type", text: spell.typeParams(s.TypeParams)}
	if s.Assign.IsValid() {
		d.text += "= " + spell.text(s.Type)
		r.add(s.Name.Name, s.Pos(), d)
		return
	}
	switch t := s.Type.(type) {
	case *ast.StructType:
		d.kind, d.members = "struct", spell.fields(t)
	case *ast.InterfaceType:
		d.kind = "interface"
		d.members, d.sealed = spell.methods(t)
	default:
		d.text += spell.text(s.Type)
	}
	r.add(s.Name.Name, s.Pos(), d)
}

// fields are the exported fields of a struct, and all embedded ones: they may
// bring exported ones along.
func (s spelling) fields(t *ast.StructType) map[string]string {
	out := map[string]string{}
	for _, f := range t.Fields.List {
		text := s.text(f.Type)
		if len(f.Names) == 0 {
			out["embedded "+text] = text
		}
		for _, id := range f.Names {
			if id.IsExported() {
				out["field "+id.Name] = text
			}
		}
	}
	return out
}

// methods are the methods of an interface and what it embeds.
func (s spelling) methods(t *ast.InterfaceType) (members map[string]string, sealed bool) {
	members = map[string]string{}
	for _, f := range t.Methods.List {
		text := s.text(f.Type)
		if len(f.Names) == 0 {
			members["embedded "+text] = text
		}
		for _, id := range f.Names {
			members["method "+id.Name] = text
			sealed = sealed || !id.IsExported()
		}
	}
	return members, sealed
}
