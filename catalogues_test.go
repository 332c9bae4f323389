package planlock_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/history"
)

// TestCatalogues holds the tables of the pages that stand between marks to the
// code that they are drawn from. -update draws them again.
func TestCatalogues(t *testing.T) {
	facts := factTables(t)
	for _, c := range []struct{ page, mark, text string }{
		{"journal-and-store.md", "facts", facts.all()},
		{"journal-and-store.md", "parts", facts.parts()},
		{"architecture.md", "guards", guardTable(t)},
		{"views.md", "actions", actionTable(t)},
	} {
		path := filepath.Join("docs", c.page)
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		begin, end := "<!-- begin "+c.mark+" -->\n", "<!-- end "+c.mark+" -->\n"
		head, rest, ok := strings.Cut(string(page), begin)
		got, foot, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Errorf("%s has no place for its %s", path, c.mark)
			continue
		}
		if got == c.text {
			continue
		}
		if !*update {
			t.Errorf("%s: the table of %s is behind the code: go test . -run TestCatalogues -update", path, c.mark)
			continue
		}
		if err := os.WriteFile(path, []byte(head+begin+c.text+end+foot), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// guardTable lists the guards in the order in which they are asked, with what
// their table says of them.
func guardTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| guard | holds a step up because |\n|---|---|\n")
	for line := range strings.Lines(string(source(t, "exec/internal/guards/table.go"))) {
		_, rest, ok := strings.Cut(line, "Of(\"")
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(rest, "\"")
		_, says, _ := strings.Cut(strings.TrimSpace(rest), "// ")
		if says == "" {
			t.Errorf("the table of guards does not say what %s is", name)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, says)
	}
	return b.String()
}

// actionTable lists the kinds of actions, with their comments.
func actionTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| action | what it is: the fields that it may have |\n|---|---|\n")
	file, err := parser.ParseFile(token.NewFileSet(), "action.go", source(t, "exec/action/action.go"),
		parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.ValueSpec)
		if !ok || len(s.Values) != 1 {
			return true
		}
		if kind, ok := s.Values[0].(*ast.BasicLit); ok {
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.Trim(kind.Value, `"`), strings.TrimSpace(s.Comment.Text()))
		}
		return true
	})
	return b.String()
}

// facts are the structs that journals hold, as their sources declare them.
type facts struct {
	structs map[string]structure // by package and name, as in "history.Started"
	names   map[string]string    // of facts: the name in the journal, by that of the struct
	of      map[string][]string  // what a fact may be about: run, step, attempt
	values  map[string][]string  // of types of texts: their constants
	used    []string             // parts, in the order in which they came up
}

// A structure is a type that is kept as JSON; only structs have fields.
type structure struct {
	doc    string
	fields []*ast.Field
}

// factTables reads the packages whose types stand in journals.
func factTables(t *testing.T) *facts {
	t.Helper()
	f := &facts{map[string]structure{}, map[string]string{}, map[string][]string{}, map[string][]string{}, nil}
	for _, dir := range []string{
		"exec/history", "exec/ask", "exec/commit", "exec/jobs", "gate", "gate/review", "gate/evidence", "ledger", "plan", "envelope",
		"checkpoint/record",
	} {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, source(t, name), parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				f.read(file.Name.Name, d)
			}
		}
	}
	return f
}

// read notes what a declaration says of a fact or a part of one.
func (f *facts) read(pkg string, d ast.Decl) {
	switch d := d.(type) {
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				st := structure{doc: cmp.Or(s.Doc.Text(), d.Doc.Text())}
				switch of := s.Type.(type) {
				case *ast.StructType:
					st.fields = of.Fields.List
				case *ast.ArrayType: // kept as a list of this name
					tag := fmt.Sprintf("`json:%q`", strings.ToLower(s.Name.Name))
					st.fields = []*ast.Field{{Type: of, Tag: &ast.BasicLit{Value: tag}}}
				default:
					continue
				}
				f.structs[pkg+"."+s.Name.Name] = st
			case *ast.ValueSpec:
				if len(s.Values) != 1 {
					continue
				}
				lit, ok := s.Values[0].(*ast.BasicLit)
				if ok && s.Type == nil {
					f.names[s.Names[0].Name] = strings.Trim(lit.Value, `"`)
				} else if ok && lit.Kind == token.STRING && lit.Value != `""` {
					of := qualified(pkg, s.Type)
					f.values[of] = append(f.values[of], "`"+strings.Trim(lit.Value, `"`)+"`")
				}
			}
		}
	case *ast.FuncDecl:
		if pkg != "history" || d.Recv == nil {
			return
		}
		star, ok := d.Recv.List[0].Type.(*ast.StarExpr)
		if !ok {
			return
		}
		of := star.X.(*ast.Ident).Name
		if name, ok := strings.CutPrefix(d.Name.Name, "of"); ok {
			f.of[of] = append(f.of[of], strings.ToLower(name))
		}
		if d.Name.Name == "Type" {
			ast.Inspect(d, func(n ast.Node) bool {
				if back, ok := n.(*ast.ReturnStmt); ok {
					switch name := back.Results[0].(type) {
					case *ast.BasicLit:
						f.names[of] = strings.Trim(name.Value, `"`)
					case *ast.Ident:
						f.names[of] = f.names[name.Name]
					}
				}
				return true
			})
		}
	}
}

// all draws the table of facts, in the order of package history.
func (f *facts) all() string {
	byName := map[string]string{}
	for of := range f.of {
		byName[f.names[of]] = of
	}
	var b strings.Builder
	b.WriteString("| type | of | what it says | fields |\n|---|---|---|---|\n")
	for _, name := range history.Types() {
		of := byName[name]
		s := f.structs["history."+of]
		slices.Sort(f.of[of])
		slices.Reverse(f.of[of])
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, strings.Join(f.of[of], ", "), says(of, s.doc), f.fields("history", s))
	}
	return b.String()
}

// parts draws the table of what facts are made of. Parts that are only used by
// other parts come behind those.
func (f *facts) parts() string {
	var b strings.Builder
	b.WriteString("| part | fields |\n|---|---|\n")
	for i := 0; i < len(f.used); i++ {
		name := f.used[i]
		pkg, _, _ := strings.Cut(name, ".")
		text := f.fields(pkg, f.structs[name])
		if values := f.values[name]; values != nil {
			text = "one of " + strings.Join(values, ", ")
		}
		fmt.Fprintf(&b, "| %s | %s |\n", partName(name), text)
	}
	return b.String()
}

// fields lists what a struct has in JSON, each with its comment.
func (f *facts) fields(pkg string, s structure) string {
	var list []string
	for _, field := range s.fields {
		if len(field.Names) == 0 && field.Tag == nil { // embedded: its fields stand beside the others
			if of := f.structs[qualified(pkg, field.Type)]; of.fields != nil {
				list = append(list, f.fields(pkg, of))
			}
			continue
		}
		if field.Tag == nil {
			continue
		}
		tag, _ := strconv.Unquote(field.Tag.Value)
		name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		text := "`" + name + "`"
		if strings.Contains(options, "omit") {
			text += "?"
		}
		comment := field.Comment.Text()
		if field.Doc != nil {
			comment = field.Doc.Text()
		}
		if len(field.Names) > 0 {
			comment = says(field.Names[0].Name, comment)
		}
		about := strings.TrimPrefix(f.kind(pkg, field.Type)+": "+strings.ReplaceAll(strings.TrimSpace(comment), "\n", " "), ": ")
		if about = strings.TrimSuffix(about, ": "); about != "" {
			text += " (" + about + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// kind says in a word or two what a type is, and nothing of texts and numbers.
// Structs become parts.
func (f *facts) kind(pkg string, of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return f.kind(pkg, of.X)
	case *ast.ArrayType:
		if inner := f.kind(pkg, of.Elt); inner != "" {
			return "list of " + inner
		}
		return "list"
	case *ast.MapType:
		return "by name"
	}
	name := qualified(pkg, of)
	switch {
	case name == "ledger.Digest":
		return "digest"
	case name == "time.Time":
		return "time"
	case name == "time.Duration":
		return "nanoseconds"
	case name == "plan.Address":
		return "address"
	case name == "plan.Format": // of whichever reader there is, also of a host
		return ""
	}
	s, ok := f.structs[name]
	if values := f.values[name]; !ok && len(values) <= 3 {
		return strings.Join(values, ", ")
	} else if !ok && !slices.Contains(f.used, name) {
		f.used = append(f.used, name)
	}
	if ok && !slices.Contains(f.used, name) && slices.ContainsFunc(s.fields,
		func(field *ast.Field) bool { return field.Tag != nil }) {
		f.used = append(f.used, name)
	}
	return partName(name)
}

// qualified is the name of a type with its package.
func qualified(pkg string, of ast.Expr) string {
	switch of := of.(type) {
	case *ast.Ident:
		return pkg + "." + of.Name
	case *ast.SelectorExpr:
		return of.X.(*ast.Ident).Name + "." + of.Sel.Name
	}
	return ""
}

// partName is how the page calls a type: its name, in lower case, and more where
// two packages use one name.
func partName(name string) string {
	switch name {
	case "ask.Kind":
		return "kind of question"
	case "evidence.Kind":
		return "kind of evidence"
	case "ask.Approach":
		return "approach explained"
	}
	_, name, _ = strings.Cut(name, ".")
	return strings.ReplaceAll(words(name), "-", " ")
}

// words are the words of a name, as in run-started.
func words(name string) string {
	var text strings.Builder
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' {
			text.WriteByte('-')
		}
		text.WriteRune(r)
	}
	return strings.ToLower(text.String())
}

// says is the first sentence of a comment without the name that it is about and
// without its full stop.
func says(name, comment string) string {
	comment = strings.ReplaceAll(strings.TrimSpace(comment), "\n", " ")
	for _, opening := range []string{"says that ", "says what ", "says ", "is ", "are ", ""} {
		for _, article := range []string{"", "A ", "An "} {
			if rest, ok := strings.CutPrefix(comment, article+name+" "+opening); ok {
				comment = rest
			}
		}
	}
	if first, _, ok := strings.Cut(comment, ". "); ok {
		comment = first
	}
	return strings.ReplaceAll(strings.TrimSuffix(comment, "."), "|", "\\|")
}

// source is the text of a file of the repository.
func source(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
