package goapi

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
)

// A Text is the source of one package-level declaration or method, with its
// comment.
type Text struct {
	Name string // Name or Type.Method
	Line int
	Text string
}

// Texts returns the source text of every declaration of a file, in the order of
// the file. A declaration in a group is its own line of the group; a constant
// that repeats the line above carries its place in the group. What could be
// read of a broken file comes back beside the error.
func Texts(name string, src []byte) ([]Text, error) {
	fset, f, err := parse(name, src, parser.ParseComments)
	if f == nil {
		return nil, err
	}
	r := texts{fset: fset, src: src}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			r.add(localName(d), d.Doc, d, "")
		case *ast.GenDecl:
			r.group(d)
		}
	}
	return r.out, err
}

type texts struct {
	fset *token.FileSet
	src  []byte
	out  []Text
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
			r.add(s.Name.Name, first(s.Doc, doc), s, d.Tok.String()+" ")
		case *ast.ValueSpec:
			prefix := d.Tok.String() + " "
			if d.Tok == token.CONST && d.Lparen.IsValid() {
				prefix += strconv.Itoa(n) + " "
			}
			for _, id := range s.Names {
				r.add(id.Name, first(s.Doc, doc), s, prefix)
			}
		}
	}
}

func first(docs ...*ast.CommentGroup) *ast.CommentGroup {
	for _, d := range docs {
		if d != nil {
			return d
		}
	}
	return nil
}

// add adds a declaration, with its comment before it.
func (r *texts) add(name string, doc *ast.CommentGroup, n ast.Node, prefix string) {
	comment := ""
	if doc != nil {
		comment = r.cut(doc) + "\n"
	}
	r.out = append(r.out, Text{Name: name, Line: r.fset.PositionFor(n.Pos(), false).Line,
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
