package treesitter

import (
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger/source"
)

// unexpanded is why what does not parse need not be wrong.
func unexpanded([]byte) string { return "its grammar expands no macros" }

var c = &language{name: "C", extensions: []string{".c"}, grammar: grammar{"c", "tree-sitter-c 0.24.1"},
	read: readC, unsure: unexpanded, clean: withoutMacros, alone: unended,
	places: func(symbol string) []string {
		return cPlaces(symbol, ".c")
	}}

var cplusplus = &language{name: "C++", extensions: strings.Fields(".cc .cpp .cxx .c++ .h .hh .hpp .hxx .h++ .ipp .tpp"),
	grammar: grammar{"cpp", "tree-sitter-cpp 0.23.4"}, read: readC, unsure: unexpanded, clean: withoutMacros, alone: unended,
	places: func(symbol string) []string {
		return cPlaces(symbol, strings.Fields(".cc .cpp .cxx .c++ .h .hh .hpp .hxx .h++ .ipp .tpp")...)
	}}

// unended is what looks like a call without a semicolon: a macro that ends what it
// makes.
func unended(n node) bool {
	if n.kind() != "expression_statement" {
		return false
	}
	called := n.child("call_expression")
	return called.is() && called.next() == n.next()-1 && (node{n.tree, called.next()}).missing()
}

// cPlaces are all files: where something is declared its name does not say.
func cPlaces(symbol string, extensions ...string) []string {
	parts := strings.Split(symbol, "::")
	if len(parts) < 2 || parts[0] == "crate" || slices.Contains(parts[1:], "") || strings.ContainsAny(symbol, "/.") {
		return nil
	}
	var all []string
	for _, ext := range extensions {
		all = append(all, within(deepest, "*"+ext)...)
	}
	return all
}

// A cScope is a file, a namespace or a class that is looked through.
type cScope struct {
	*reading
	outer  string // what names begin with, with ::
	seen   bool   // others can use what is in it
	header bool
	when   string
	of     *source.Decl // the class; nil outside of one
	access string       // in a class: "protected" or ""
	calls  map[string]*callable
}

func readC(r *reading) {
	ext := path.Ext(r.file.Path)
	header := ext != ".c" && ext != ".cc" && ext != ".cpp" && ext != ".cxx" && ext != ".c++"
	s := cScope{reading: r, outer: "::", header: header, seen: classOffers(r.file.Path) && (header || ext == ".c"),
		calls: map[string]*callable{}}
	s.items(r.root())
	s.offerCalls()
}

// offerCalls offers what can be called, in the order of the file.
func (s cScope) offerCalls() {
	classScope{reading: s.reading, calls: s.calls}.offerCalls()
}

// note is a declaration in front of which nothing stands.
func cFront(n node) bool { return n.in("attribute_declaration") }

func (s cScope) items(parent node) {
	siblings := slices.Collect(parent.all())
	for _, n := range siblings {
		switch {
		case n.comment() || !n.named():
		case n.kind() == "access_specifier":
			switch text := n.source(); {
			case strings.HasPrefix(text, "private"):
				s.access = "private"
			case strings.HasPrefix(text, "protected"):
				s.access = "protected"
			default:
				s.access = ""
			}
		default:
			s.item(n, n, n.whole(cFront, siblings), "")
		}
	}
}

// visible reports whether others can use what stands here.
func (s cScope) visible() bool { return s.seen && s.access != "private" }

// offer adds a declaration where others can use it.
func (s cScope) offer(name string, n node, d source.Decl) {
	if !s.visible() {
		return
	}
	d.Builds = when(s.when)
	d.Text = strings.TrimSpace(s.access + " " + s.macrosIn(n) + d.Text)
	s.reading.offer(name, n, d)
}

// item is a declaration: all of it, n what of it is looked at, and what stands in
// front of that, such as the parameters of a template.
func (s cScope) item(all, n node, text, front string) {
	if broken(n) {
		s.blurred(n)
		return
	}
	switch n.kind() {
	case "preproc_ifdef", "preproc_if", "preproc_elif", "preproc_elifdef", "preproc_else":
		s.conditional(n)
	case "preproc_def", "preproc_function_def":
		s.macro(n, text)
	case "preproc_call":
		if s.visible() && strings.Contains(n.source(), "undef") {
			s.unsaid(n.spell(nil))
		}
	case "preproc_include", "static_assert_declaration", "friend_declaration", "comment":
	case "linkage_specification":
		if body := n.field("body"); body.in("declaration_list") {
			s.items(body)
		} else {
			s.item(all, body, text, front)
		}
	case "namespace_definition":
		s.namespace(n, text)
	case "template_declaration":
		front += "template" + n.field("parameters").spell(nil) + " "
		if r := n.child("requires_clause"); r.is() {
			front += r.spell(nil) + " "
		}
		for c := range n.children() {
			if c.role() != "parameters" && c.kind() != "requires_clause" {
				s.item(all, c, text, front)
			}
		}
	case "class_specifier", "struct_specifier", "union_specifier", "enum_specifier":
		s.typ(n, text, front, "")
	case "type_definition", "declaration", "field_declaration", "function_definition":
		s.declaration(all, n, text, front)
	case "alias_declaration":
		name := s.outer + n.field("name").source()
		s.symbol(name, all, text)
		s.offer(name, all, source.Decl{Kind: "type", Text: front + n.field("type").spell(nil)})
	case "using_declaration", "namespace_alias_definition":
		if s.visible() {
			s.unsaid(s.outer + n.spell(nil))
		}
	case "concept_definition":
		name := s.outer + n.field("name").source()
		s.symbol(name, all, text)
		s.offer(name, all, source.Decl{Kind: "concept", Text: front + n.spell(nil)})
	default: // a macro that may make anything
		if s.visible() {
			s.unsaid(s.outer + n.spell(nil))
		}
	}
}

// broken reports whether a declaration was not understood: there is something in
// it, but in its body, that does not parse. What holds other declarations is
// looked through.
func broken(n node) bool {
	switch n.kind() {
	case "ERROR":
		return true
	case "preproc_ifdef", "preproc_if", "preproc_elif", "preproc_elifdef", "preproc_else", "linkage_specification",
		"namespace_definition", "field_declaration_list", "declaration_list":
		return false
	}
	for at := n.at; at < n.next(); {
		x := node{n.tree, at}
		if x.in("compound_statement", "field_declaration_list") || unended(x) {
			at = x.next()
			continue
		}
		if x.kind() == "ERROR" || x.missing() {
			return true
		}
		at++
	}
	return false
}

// blurred offers all that a text names that was not understood: it is there in
// some way.
func (s cScope) blurred(n node) {
	seen := map[string]bool{}
	for at := n.at; at < n.next(); at++ {
		x := node{n.tree, at}
		if x.in("identifier", "field_identifier", "type_identifier", "namespace_identifier") && !seen[x.source()] {
			seen[x.source()] = true
			s.reading.offer(s.outer+x.source(), x, source.Decl{Unsaid: "it was not understood", Builds: when()})
		}
	}
}

// conditional looks through what is there under a condition. What keeps a header
// from being read twice is none.
func (s cScope) conditional(n node) {
	outer := s.when
	condition := n.field("condition")
	text := condition.spell(nil)
	if !condition.is() {
		condition = n.field("name")
		text = condition.source()
		for c := range n.all() {
			if strings.HasSuffix(c.source(), "ifndef") {
				text = "!" + text
			}
			break
		}
		if def := n.child("preproc_def"); text == "!"+def.field("name").source() && !def.field("value").is() {
			text = ""
		}
	}
	s.when = and(outer, text)
	for c := range n.children() {
		switch {
		case c.at == condition.at:
		case c.role() == "alternative":
			other := s
			other.when = and(outer, "!("+text+")")
			if c.kind() == "preproc_else" {
				other.items(c)
			} else {
				other.conditional(c)
			}
		case c.kind() == "access_specifier":
			s.unsaid("#if around " + c.source())
		default:
			s.item(c, c, c.source(), "")
		}
	}
}

func (s cScope) namespace(n node, text string) {
	name := n.field("name")
	for c := range n.all() {
		if c.kind() == "inline" || c.source() == "inline" { // its names are those of the one around it
			s.items(n.field("body"))
			return
		}
		break
	}
	if !name.is() {
		s.seen = false
	} else {
		s.outer = strings.TrimPrefix(s.outer, "::") + name.spell(nil) + "::"
		s.symbol(strings.TrimSuffix(s.outer, "::"), n, text)
	}
	s.items(n.field("body"))
}
