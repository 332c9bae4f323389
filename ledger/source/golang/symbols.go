package golang

import (
	"go/ast"
	"go/token"
	"strconv"

	"github.com/planlock/planlock/ledger/source"
)

// texts collects the source text of every declaration of a file, in the order
// of the file. A declaration in a group is its own line of the group; a constant
// that repeats the line above carries its place in the group.
type texts struct {
	fset   *token.FileSet
	src    []byte
	folder string // with the point that separates it from names
	out    []source.Symbol
}

// file adds all declarations of a file.
func (r *texts) file(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			r.add(localName(d), d.Doc, d.Name, d, "")
		case *ast.GenDecl:
			r.group(d)
		}
	}
}

// group adds each line of a group of declarations. The comment of a group is
// that of a line only where it has no parentheses.
func (r *texts) group(d *ast.GenDecl) {
	for n, spec := range d.Specs {
		doc := d.Doc
		if d.Lparen.IsValid() {
			doc = nil
		}
		switch s := spec.(type) {
		case *ast.TypeSpec:
			r.add(s.Name.Name, first(s.Doc, doc), s.Name, s, d.Tok.String()+" ")
		case *ast.ValueSpec:
			prefix := d.Tok.String() + " "
			if d.Tok == token.CONST && d.Lparen.IsValid() {
				prefix += strconv.Itoa(n) + " "
			}
			for _, id := range s.Names {
				r.add(id.Name, first(s.Doc, doc), id, s, prefix)
			}
		}
	}
}

// first is the first comment that is there.
func first(docs ...*ast.CommentGroup) *ast.CommentGroup {
	for _, d := range docs {
		if d != nil {
			return d
		}
	}
	return nil
}

// add adds a declaration, with its comment before it, at the line of its name;
// none that has no name.
func (r *texts) add(name string, doc *ast.CommentGroup, at *ast.Ident, n ast.Node, prefix string) {
	if name == "" || name == "_" {
		return
	}
	comment := ""
	if doc != nil {
		comment = r.cut(doc) + "\n"
	}
	// Line directives would move the place to another file.
	r.out = append(r.out, source.Symbol{Name: r.folder + name, Line: r.fset.PositionFor(at.Pos(), false).Line,
		Text: comment + prefix + r.cut(n)})
}

// cut is the source of a node, as it stands in the file.
func (r *texts) cut(n ast.Node) string {
	from, to := r.fset.PositionFor(n.Pos(), false).Offset, r.fset.PositionFor(n.End(), false).Offset
	if from < 0 || to > len(r.src) || from > to { // a broken file may end in the middle of a node
		return ""
	}
	return string(r.src[from:to])
}
