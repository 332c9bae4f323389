package treesitter

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger/source"
)

var java = &language{name: "Java", extensions: []string{".java"}, grammar: grammar{"java", "tree-sitter-java 0.23.5"},
	read: readJava, places: javaPlaces}

var csharp = &language{name: "C#", extensions: []string{".cs"}, grammar: grammar{"c_sharp", "tree-sitter-c-sharp 0.23.5"},
	read: readCSharp, places: csharpPlaces, unsure: func(text []byte) string {
		if bytes.Contains(text, []byte("#if")) {
			return "its grammar does not know what #if leaves out"
		}
		return ""
	}}

// deepest is how deep a folder may lie in which a file is looked for.
const deepest = 8

// dotted are the names of a symbol that is spelled with points; nil where it is
// none.
func dotted(symbol string) []string {
	parts := strings.Split(symbol, ".")
	if len(parts) < 2 || slices.Contains(parts[1:], "") || strings.ContainsAny(symbol, "/:") {
		return nil
	}
	return parts
}

// javaPlaces are the folders of the packages that a symbol may begin with, below
// whatever root.
func javaPlaces(symbol string) []string {
	parts := dotted(symbol)
	if len(parts) > 0 && parts[0] == "" {
		return within(deepest, "*.java")
	}
	var places []string
	for n := 1; n < len(parts); n++ {
		places = append(places, within(deepest, source.Literally(path.Join(parts[:n]...))+"/*.java")...)
	}
	return places
}

// csharpPlaces are all files: where a namespace is declared its name does not say.
func csharpPlaces(symbol string) []string {
	if dotted(symbol) == nil {
		return nil
	}
	return within(deepest, "*.cs")
}

// classOffers reports whether a file may offer something: tests do not.
func classOffers(p string) bool {
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	for _, end := range []string{"Test", "Tests", "IT"} {
		if strings.HasSuffix(stem, end) && stem != end {
			return false
		}
	}
	for _, folder := range strings.Split(path.Dir(p), "/") {
		switch last := folder[strings.LastIndexByte(folder, '.')+1:]; strings.ToLower(last) {
		case "test", "tests", "testdata", "androidtest", "unittests", "integrationtests":
			return false
		}
	}
	return true
}

// A classScope is what is looked through: a file, a namespace, or a type.
type classScope struct {
	*reading
	outer string // what names begin with
	seen  bool   // others can reach what is public in it
	// open says that what is in it is public unless it says otherwise, as in an
	// interface.
	open bool
	when string // the condition that it is there under
	of   *source.Decl
	// calls are what can be called, by name, kind and condition: of one name there
	// may be several.
	calls map[string]*callable
	names bool // arguments may be given by name
}

// A callable is a method with all its ways to be called.
type callable struct {
	name string
	node
	source.Decl
}

func readJava(r *reading) {
	s := classScope{reading: r, outer: ".", seen: classOffers(r.file.Path)}
	r.imports = map[string]string{}
	for n := range r.root().children() {
		switch n.kind() {
		case "package_declaration":
			s.outer = n.child("scoped_identifier", "identifier").spell(nil) + "."
		case "import_declaration":
			full := n.child("scoped_identifier").spell(nil)
			if !n.child("asterisk").is() && !n.child("static").is() {
				r.imports[full[strings.LastIndexByte(full, '.')+1:]] = full
			}
		case "module_declaration":
			r.unsaid("module " + n.spell(nil))
		}
	}
	s.members(r.root())
}

func readCSharp(r *reading) {
	s := classScope{reading: r, outer: ".", seen: classOffers(r.file.Path), names: true}
	r.imports = map[string]string{}
	for n := range r.root().children() {
		switch n.kind() {
		case "using_directive":
			if alias := n.field("name"); alias.is() {
				r.imports[alias.source()] = n.child("qualified_name", "generic_name").spell(nil)
			}
		case "file_scoped_namespace_declaration":
			s.outer = n.field("name").spell(nil) + "."
		}
	}
	s.members(r.root())
}

// annotation reports whether a node is what stands in front of a declaration.
func annotation(n node) bool { return n.in("attribute_list") }

// members looks through the declarations below a node, and offers what can be
// called.
func (s classScope) members(parent node) {
	outermost := s.calls == nil
	if outermost {
		s.calls = map[string]*callable{}
	}
	siblings := slices.Collect(parent.all())
	for _, n := range siblings {
		if n.named() && !n.comment() {
			s.member(n, siblings)
		}
	}
	if outermost {
		s.offerCalls()
	}
}

// offerCalls offers what can be called, in the order of the file.
func (s classScope) offerCalls() {
	var all []*callable
	for _, c := range s.calls { // in any order: sorted below
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *callable) int { return a.at - b.at })
	for _, c := range all {
		s.offer(c.name, c.node, c.Decl)
	}
}

// modifiers are the words in front of a declaration, and its annotations.
func modifiers(n node) (words []string, notes string) {
	var note []string
	each := func(c node) {
		switch {
		case c.in("annotation", "marker_annotation", "attribute_list"):
			if text := c.spell(nil); text != "@Override" && !strings.HasPrefix(text, "@SuppressWarnings") {
				note = append(note, text)
			}
		case c.kind() == "modifier" || c.kind() == c.source():
			words = append(words, c.source())
		}
	}
	for c := range n.all() {
		switch {
		case c.kind() == "modifiers":
			for m := range c.all() {
				each(m)
			}
		case c.in("modifier", "attribute_list"):
			each(c)
		}
	}
	return words, strings.Join(note, " ")
}

// public reports whether others can use something that has these words.
func (s classScope) public(words []string) bool {
	has := func(w string) bool { return slices.Contains(words, w) }
	return s.seen && !has("private") && (s.open && !has("internal") || has("public") || has("protected"))
}

// inert are the words that say nothing to those who use a declaration.
var inert = strings.Fields("abstract synchronized native strictfp transient default virtual override async partial extern " +
	"unsafe volatile new public")

// words are those that users see.
func seenWords(words []string) string {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(inert, w) })
	slices.Sort(words)
	return strings.Join(words, " ")
}

// name is that of a declaration, below its scope.
func (s classScope) name(n node) string {
	return s.outer + strings.TrimPrefix(n.field("name").source(), "@")
}

func (s classScope) member(n node, siblings []node) {
	text := func() string { return n.whole(annotation, siblings) }
	words, notes := modifiers(n)
	switch n.kind() {
	case "namespace_declaration":
		s.outer = strings.TrimPrefix(s.outer, ".") + n.field("name").spell(nil) + "."
		s.calls = nil
		s.members(n.field("body"))
	case "preproc_if", "preproc_elif", "preproc_else":
		s.conditional(n)
	case "declaration_list", "enum_body_declarations":
		s.members(n)
	case "class_declaration", "interface_declaration", "enum_declaration", "record_declaration", "struct_declaration",
		"annotation_type_declaration":
		s.typ(n, words, notes, text())
	case "delegate_declaration":
		s.symbol(s.name(n), n, text())
		if s.public(words) {
			types, names, values := s.parameters(n)
			s.offer(s.name(n), n, source.Decl{Kind: "delegate", Value: strings.TrimSpace(notes + values), Builds: when(s.when),
				Text: strings.TrimSpace(generics(n) + n.field("type").spell(nil) + " (" + types + ")" + names)})
		}
	case "method_declaration", "constructor_declaration", "annotation_type_element_declaration", "operator_declaration",
		"conversion_operator_declaration", "indexer_declaration":
		s.call(n, words, notes, text())
	case "property_declaration", "event_declaration":
		s.property(n, words, notes, text())
	case "field_declaration", "constant_declaration", "event_field_declaration":
		s.field(n, words, notes, text())
	case "enum_constant", "enum_member_declaration":
		name := n.field("name").source()
		s.symbol(s.outer+name, n, text())
		if s.of != nil {
			m := source.Member{Value: n.field("value").spell(nil)}
			if s.names && m.Value == "" {
				m.Value = fmt.Sprintf("the one after %d others", len(s.of.Members))
			}
			s.of.Members["constant "+name] = m
		}
	}
}

// conditional looks through what is there under a condition.
func (s classScope) conditional(n node) {
	outer := s.when
	condition := n.field("condition")
	s.when = and(outer, condition.spell(nil))
	for c := range n.children() {
		switch {
		case c.at == condition.at:
		case c.role() == "alternative":
			other := s
			other.when = and(outer, "!("+condition.spell(nil)+")")
			if c.kind() == "preproc_else" {
				other.members(c)
			} else {
				other.conditional(c)
			}
		default:
			s.member(c, nil)
		}
	}
}

// and is a condition beside another one.
func and(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " && " + b
}

// generics are the type parameters of a declaration, and what is asked of them.
func generics(n node) string {
	var b []byte
	for c := range n.all() {
		if c.in("type_parameters", "type_parameter_list", "type_parameter_constraints_clause") {
			c.spellTo(&b, nil)
		}
	}
	if len(b) > 0 {
		b = append(b, ' ')
	}
	return string(b)
}

// typ is a type, and what is in it.
func (s classScope) typ(n node, words []string, notes, text string) {
	name, body := s.name(n), n.field("body")
	s.symbol(name, n, text)
	kind := strings.TrimSuffix(strings.TrimSuffix(n.kind(), "_declaration"), "_type")
	inner := s
	inner.outer, inner.seen, inner.calls = name+".", s.public(words), map[string]*callable{}
	inner.open = kind == "interface" || kind == "annotation"
	d := &source.Decl{Kind: kind, Members: map[string]source.Member{}, Value: notes, Builds: when(s.when)}
	for c := range n.all() {
		switch c.kind() {
		case "superclass", "super_interfaces", "extends_interfaces", "base_list":
			for b := range bases(c) {
				d.Members["is a "+s.meaning(b.spell(nil))] = source.Member{Asked: kind == "interface"}
			}
		}
	}
	components := ""
	if kind == "record" {
		p := n.field("parameters")
		if !p.is() {
			p = n.child("parameter_list")
		}
		components = p.spell(annotated)
	}
	shown := seenWords(words)
	if slices.Contains(words, "abstract") && kind == "class" {
		shown = strings.TrimSpace("abstract " + shown)
	}
	d.Text = strings.TrimSpace(shown + " " + generics(n) + components)
	d.Sealed = slices.Contains(words, "sealed") || slices.Contains(words, "final") ||
		kind != "interface" && kind != "class" && kind != "annotation"
	inner.of = d
	inner.members(body)
	inner.offerCalls()
	if inner.seen {
		s.offer(name, n, *d)
	}
}

// annotated leaves annotations out of what is spelled.
func annotated(n node) bool {
	return n.in("annotation", "marker_annotation", "attribute_list") || n.source() == "final"
}

// bases are the types that a type is made of.
func bases(n node) func(func(node) bool) {
	if list := n.child("type_list"); list.is() {
		n = list
	}
	return n.children()
}

// parameters are the types of what is given, their names where they may be used,
// and the values that need not be given.
func (s classScope) parameters(n node) (types, names, values string) {
	list := n.field("parameters")
	var t, m, v []string
	loose := ""
	for c := range list.all() {
		switch {
		case c.in("formal_parameter", "parameter"):
			name := c.field("name")
			text := c.spell(func(x node) bool {
				return annotated(x) || x.at == name.at || x.kind() == "modifiers" && !strings.Contains(x.source(), "ref")
			})
			text, value, _ := strings.Cut(text, " = ")
			t = append(t, strings.TrimSpace(text))
			m = append(m, name.source())
			if value != "" {
				v = append(v, name.source()+" = "+value)
			}
		case c.kind() == "spread_parameter":
			t = append(t, c.spell(func(x node) bool { return x.in("modifiers", "variable_declarator") }))
		case c.role() == "type":
			loose = "params " + c.spell(nil)
		case c.role() == "name" && loose != "":
			t, m = append(t, loose), append(m, c.source())
		}
	}
	if s.names && len(m) > 0 {
		names = " named " + strings.Join(m, ", ")
	}
	if len(v) > 0 {
		values = " " + strings.Join(v, ", ")
	}
	return strings.Join(t, ", "), names, values
}

// call is something that can be called: one way of several.
func (s classScope) call(n node, words []string, notes, text string) {
	kind, name := "method", s.name(n)
	switch n.kind() {
	case "constructor_declaration":
		kind = "constructor"
	case "operator_declaration":
		name = s.outer + "operator" + n.field("operator").source()
	case "conversion_operator_declaration":
		name = s.outer + "operator " + n.field("type").spell(nil)
	case "indexer_declaration":
		name, kind = s.outer+"this", "indexer"
	}
	s.symbol(name, n, text)
	if n.child("explicit_interface_specifier").is() {
		return
	}
	types, names, values := s.parameters(n)
	result := n.field("returns")
	if !result.is() {
		result = n.field("type")
	}
	throws := n.child("throws").spell(nil)
	abstract := slices.Contains(words, "abstract") || s.open && !n.field("body").is() && !slices.Contains(words, "static")
	key := "(" + s.meaning(types) + ")"
	if abstract && s.of != nil && s.public(words) {
		s.of.Members[kind+" "+n.field("name").source()+key] = source.Member{Asked: !n.field("value").is()}
	} else if s.open && s.of != nil && s.public(words) && !slices.Contains(words, "static") {
		s.of.Members[kind+" "+n.field("name").source()+key] = source.Member{}
	}
	if !s.public(words) {
		return
	}
	id := name + "\x00" + kind + "\x00" + s.when
	c := s.calls[id]
	if c == nil {
		c = &callable{name, n, source.Decl{Kind: kind, Members: map[string]source.Member{}, Builds: when(s.when)}}
		s.calls[id] = c
	}
	if arity := n.child("type_parameters", "type_parameter_list"); arity.is() {
		key = fmt.Sprintf("<%d>%s", strings.Count(arity.source(), ",")+1, key)
	}
	shown := seenWords(words) + " " + generics(n) + result.spell(nil) + names + " " + throws
	c.Members[key] = source.Member{Text: strings.Join(strings.Fields(shown), " "),
		Value: strings.TrimSpace(notes + values + " " + n.field("value").spell(func(x node) bool { return x.kind() == "arrow_expression_clause" }))}
}

// property is one, or an event with accessors.
func (s classScope) property(n node, words []string, notes, text string) {
	name := s.name(n)
	s.symbol(name, n, text)
	if !s.public(words) || n.child("explicit_interface_specifier").is() {
		return
	}
	d := source.Decl{Kind: strings.TrimSuffix(n.kind(), "_declaration"), Members: map[string]source.Member{}, Value: notes, Builds: when(s.when),
		Text: strings.TrimSpace(seenWords(words) + " " + n.field("type").spell(nil))}
	if n.child("arrow_expression_clause").is() {
		d.Members["get"] = source.Member{}
	}
	abstract := s.open
	for a := range n.field("accessors").children() {
		how, _ := modifiers(a)
		if !slices.Contains(how, "private") && !slices.Contains(how, "internal") {
			d.Members[a.field("name").source()] = source.Member{Text: strings.Join(how, " ")}
		}
		abstract = abstract && !a.field("body").is()
	}
	if s.of != nil && (abstract || slices.Contains(words, "abstract")) {
		s.of.Members["property "+n.field("name").source()] = source.Member{Asked: true}
	}
	s.offer(name, n, d)
}

// field is one, or several that are declared together.
func (s classScope) field(n node, words []string, notes, text string) {
	of, kind := n, "field"
	if v := n.child("variable_declaration"); v.is() {
		of = v
	}
	if n.kind() == "event_field_declaration" {
		kind = "event"
	}
	for c := range of.children() {
		if c.kind() != "variable_declarator" {
			continue
		}
		name := s.outer + c.field("name").source()
		s.symbol(name, c, text)
		if !s.public(words) {
			continue
		}
		_, value, _ := strings.Cut(c.spell(nil), " = ")
		if notes != "" {
			value = strings.TrimSpace(notes + " " + value)
		}
		s.offer(name, c, source.Decl{Kind: kind, Value: value, Builds: when(s.when),
			Text: strings.TrimSpace(seenWords(words) + " " + of.field("type").spell(nil) + c.field("dimensions").spell(nil))})
		if kind == "event" && s.open && s.of != nil {
			s.of.Members["event "+c.field("name").source()] = source.Member{Asked: true}
		}
	}
}
