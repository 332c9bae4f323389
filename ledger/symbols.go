package ledger

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// A Symbol is a package-level Go declaration, or a method, that a change added or removed.
type Symbol struct {
	Name string // FOLDER.Name or FOLDER.Type.Method; ".Name" in the root
	Op   Op     // Created or Deleted
	Path string // the file
	Line int    // in the tree that has it
}

// maxSource is the size, in bytes, of the largest Go file that is parsed.
const maxSource = 16 << 20

// Symbols reads only the changed Go files on both sides and says which symbols were added or removed,
// sorted by name. A symbol is a constant, variable, type, function or method; init functions and
// blank names are none. Test files count like others, and so do files that build constraints leave out.
//
// A symbol that moved between files of one folder is neither added nor removed. A folder has each
// name once, however many of its files or packages declare it: only the changed files are
// read, so a name that one of them lost is removed, even where an unchanged file for another system declares it too.
//
// Files that do not parse, on either side, or that are larger than 16 MiB, yield what could be read, and
// are named in broken, sorted.
// An error means that a content could not be had.
func Symbols(ctx context.Context, changes []Change, before, after Content) (symbols []Symbol, broken []string, err error) {
	was, is := newSource(), newSource()
	for _, c := range changes {
		if !strings.HasSuffix(c.Path, ".go") || !c.hasContent() {
			continue
		}
		if err := was.read(ctx, c.Before, before); err != nil {
			return nil, nil, err
		}
		if err := is.read(ctx, c.After, after); err != nil {
			return nil, nil, err
		}
	}
	symbols = append(was.without(is, Deleted), is.without(was, Created)...)
	slices.SortFunc(symbols, bySymbol)
	broken = append(was.broken, is.broken...)
	slices.Sort(broken)
	return symbols, slices.Compact(broken), nil
}

func bySymbol(a, b Symbol) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(string(a.Op), string(b.Op)),
		strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
}

// source is what the changed files of one tree declare.
type source struct {
	declared map[string]Symbol // by name: the first declaration
	broken   []string
}

func newSource() *source { return &source{declared: make(map[string]Symbol)} }

func (s *source) read(ctx context.Context, e *Entry, open Content) error {
	if e == nil || e.Kind != File {
		return nil
	}
	if e.Size > maxSource {
		s.broken = append(s.broken, e.Path)
		return nil
	}
	content, err := open.read(ctx, e)
	if err != nil {
		return err
	}
	symbols, err := GoSymbols(e.Path, content)
	if err != nil {
		s.broken = append(s.broken, e.Path)
	}
	for _, sym := range symbols {
		if old, ok := s.declared[sym.Name]; !ok || bySymbol(sym, old) < 0 {
			s.declared[sym.Name] = sym
		}
	}
	return nil
}

// without are the symbols that other does not declare, in no order.
func (s *source) without(other *source, op Op) []Symbol {
	var left []Symbol
	for name, sym := range s.declared {
		if _, ok := other.declared[name]; !ok {
			sym.Op = op
			left = append(left, sym)
		}
	}
	return left
}

// GoSymbols are the symbols that a Go file declares, in the order of the file and without an Op.
// path, relative to the root, gives their folder. With an error, which
// is one of syntax, come the symbols that could be read all the same.
func GoSymbols(path string, content []byte) ([]Symbol, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", content, parser.SkipObjectResolution)
	if err != nil {
		err = fmt.Errorf("ledger: %q: %w", path, err)
	}
	if file == nil {
		return nil, err
	}
	folder, _ := splitPath(path)
	var symbols []Symbol
	add := func(name *ast.Ident, prefix string) {
		if name == nil || name.Name == "_" {
			return
		}
		// Line directives would move the place to another file.
		line := files.PositionFor(name.Pos(), false).Line
		symbols = append(symbols, Symbol{Name: folder + "." + prefix + name.Name, Path: path, Line: line})
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				if d.Name.Name != "init" {
					add(d.Name, "")
				}
			} else if base := receiver(d.Recv); base != "" {
				add(d.Name, base+".")
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name, "")
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						add(name, "")
					}
				}
			}
		}
	}
	return symbols, err
}

// receiver is the name of a method's type, without pointer, parentheses and type parameters.
func receiver(list *ast.FieldList) string {
	if len(list.List) == 0 {
		return ""
	}
	expr := list.List[0].Type
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.ParenExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.Ident:
			if e.Name == "_" {
				return ""
			}
			return e.Name
		default:
			return ""
		}
	}
}
