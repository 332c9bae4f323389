package golang

import (
	"go/ast"
	"go/token"
	"strconv"

	"github.com/planlock/planlock/ledger/source"
)

// A reader adds one file to a surface.
type reader struct {
	surface *source.Surface
	fset    *token.FileSet
	path    string
	folder  string // with the point that separates it from names
	when    source.Builds
	spell   spelling
}

// file adds the exported declarations of a file.
func (r reader) file(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			r.function(d)
		case *ast.GenDecl:
			r.group(d)
		}
	}
}

// add notes a declaration of a name, with the builds that its file belongs to.
// A name may have several, one for each system say.
func (r reader) add(name string, at token.Pos, d source.Decl) {
	d.Builds, d.Path, d.Line = r.when, r.path, r.fset.PositionFor(at, false).Line
	r.surface.Add(r.folder+name, d)
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
		r.add(d.Name.Name, d.Pos(), source.Decl{Kind: "function", Text: params + s.text(d.Type)})
		return
	}
	base, pointer, params := receiver(d)
	if !ast.IsExported(base) {
		return
	}
	method := source.Decl{Kind: "method", Text: r.spell.with(params).text(d.Type)}
	if !pointer { // a pointer has the methods of its value too
		method.Members = map[string]source.Member{"receiver by value": {}}
	}
	r.add(base+"."+d.Name.Name, d.Pos(), method)
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
		d := source.Decl{Kind: kind}
		if s.Type != nil {
			d.Text = r.spell.text(s.Type)
		}
		switch {
		case i < len(s.Values):
			r.value(&d, s.Values[i], s.Type == nil, place)
		case len(s.Values) == 1: // several names, one call
			r.value(&d, s.Values[0], s.Type == nil, place)
			d.Text += " result " + strconv.Itoa(i)
		}
		r.add(id.Name, id.Pos(), d)
	}
}

// value says what a constant or a variable is set to. Where no type is written
// it says what the spelling of the value shows of it. The place in the group
// belongs to a value that counts by iota.
func (r reader) value(d *source.Decl, x ast.Expr, inferred bool, place int) {
	iota := mentionsIota(x)
	if inferred {
		d.Text = r.spell.shape(x)
	}
	d.Value = r.spell.text(x)
	if iota {
		d.Value += " at place " + strconv.Itoa(place)
	}
}

// typ notes a type: an alias by its target, a struct and an interface by their
// members, and everything else by its spelling.
func (r reader) typ(s *ast.TypeSpec) {
	spell := r.spell.with(namesOf(s.TypeParams))
	d := source.Decl{Kind: "type", Text: spell.typeParams(s.TypeParams)}
	if s.Assign.IsValid() {
		d.Text += "= " + spell.text(s.Type)
		r.add(s.Name.Name, s.Pos(), d)
		return
	}
	switch t := s.Type.(type) {
	case *ast.StructType:
		d.Kind, d.Members = "struct", spell.fields(t)
	case *ast.InterfaceType:
		d.Kind = "interface"
		d.Members, d.Sealed = spell.methods(t)
	default:
		d.Text += spell.text(s.Type)
	}
	r.add(s.Name.Name, s.Pos(), d)
}

// fields are the exported fields of a struct, and all embedded ones: they may
// bring exported ones along.
func (s spelling) fields(t *ast.StructType) map[string]source.Member {
	out := map[string]source.Member{}
	for _, f := range t.Fields.List {
		text, tag := s.text(f.Type), ""
		if f.Tag != nil {
			tag = f.Tag.Value
		}
		if len(f.Names) == 0 {
			out["embedded "+text] = source.Member{Text: text, Value: tag}
		}
		for _, id := range f.Names {
			if id.IsExported() {
				out["field "+id.Name] = source.Member{Text: text, Value: tag}
			}
		}
	}
	return out
}

// methods are the methods of an interface and what it embeds.
func (s spelling) methods(t *ast.InterfaceType) (members map[string]source.Member, sealed bool) {
	members = map[string]source.Member{}
	for _, f := range t.Methods.List {
		text := s.text(f.Type)
		if len(f.Names) == 0 {
			members["embedded "+text] = source.Member{Text: text, Asked: true}
		}
		for _, id := range f.Names {
			members["method "+id.Name] = source.Member{Text: text, Asked: true}
			sealed = sealed || !id.IsExported()
		}
	}
	return members, sealed
}
