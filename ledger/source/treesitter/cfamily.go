package treesitter

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
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

// What is taken out before a file is parsed: what makes a header one of C for
// compilers of C++, and macros that stand where no grammar has anything.
var (
	linkage = lazyre.New(`(?m)^[ \t]*#[ \t]*if(?:def[ \t]+__cplusplus|[ \t]+defined[ \t(]*__cplusplus[ \t)]*)[^\n]*\n\s*(?:extern\s+"C"\s*\{?|[{}][^\n]*)\s*\n[ \t]*#[ \t]*endif[^\n]*`)
	lone    = lazyre.New(`(?m)^[ \t]*(_*[A-Z][A-Z0-9]*_[A-Z0-9_]+)[ \t]*\r?$`)
	before  = lazyre.New(`(?m)(?:^|[;{}\s])((?:_*[A-Z][A-Z0-9]*_[A-Z0-9_]+)(?:[ \t]*\([^()\n]*\))?)[ \t]+[A-Za-z_:~]`)
	behind  = lazyre.New(`\)\s*(?:(?:const|noexcept|override|final)\s+)*((?:_+[A-Za-z][A-Za-z0-9_]*|[A-Z][A-Z0-9_]+)(?:\s*\((?:[^()]|\([^()]*\))*\))?)\s*[;{]`)
	keyword = lazyre.New(`\b(?:class|struct)[ \t]+([A-Z][A-Z0-9_]*)[ \t]+[A-Za-z_]`)
)

// withoutMacros is a text in which macros are blanks, and where they were. First
// it is tried without taking out those that may be types.
func withoutMacros(text []byte, again bool) (cleaned []byte, macros []macro) {
	cleaned = slices.Clone(text)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if cleaned[i] != '\n' && cleaned[i] != '\r' {
				cleaned[i] = ' '
			}
		}
	}
	for _, m := range linkage.FindAllStringSubmatchIndex(string(cleaned), -1) {
		blank(m[0], m[1])
	}
	if !again {
		return cleaned, nil
	}
	for _, re := range []*lazyre.Regexp{lone, keyword, before, before, behind, behind} {
		for _, m := range re.FindAllStringSubmatchIndex(string(cleaned), -1) {
			begin := bytes.LastIndexByte(cleaned[:m[2]], '\n') + 1
			if bytes.HasPrefix(bytes.TrimSpace(cleaned[begin:m[2]]), []byte("#")) {
				continue
			}
			macros = append(macros, macro{m[2], m[3], strings.Join(strings.Fields(string(text[m[2]:m[3]])), " ")})
			blank(m[2], m[3])
		}
	}
	slices.SortFunc(macros, func(a, b macro) int { return a.at - b.at })
	return cleaned, macros
}

// A macro is one that was taken out.
type macro struct {
	at, end int
	text    string
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

// macrosIn are the macros that were taken out of a declaration, and from in front
// of it.
func (s cScope) macrosIn(n node) string {
	start := n.start()
	for i := len(s.macros) - 1; i >= 0; i-- { // those that stand directly in front of it
		if m := s.macros[i]; m.end <= start && len(bytes.TrimSpace(s.text[m.end:start])) == 0 {
			start = m.at
		}
	}
	body := n.end()
	if b := n.field("body"); b.is() {
		body = b.start()
	}
	var all string
	for _, m := range s.macros {
		if m.at >= start && m.at < body {
			all += m.text + " "
		}
	}
	return all
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

func (s cScope) macro(n node, text string) {
	name := s.outer + n.field("name").source()
	value := n.field("value")
	s.symbol(name, n, strings.TrimRight(text, "\r\n"))
	if !s.header || n.kind() == "preproc_def" && !value.is() && s.when == "" {
		return
	}
	d := source.Decl{Kind: "macro", Value: strings.Join(strings.Fields(value.source()), " ")}
	if p := n.field("parameters"); p.is() {
		count := 0
		for range p.children() {
			count++
		}
		d.Text = fmt.Sprintf("of %d", count)
	}
	s.offer(name, n, d)
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

// typ is a class, struct, union or enum that is defined here; as is its name where
// it has none of its own.
func (s cScope) typ(n node, text, front, as string) {
	s = s.types()
	body, name := n.field("body"), n.field("name").source()
	if name == "" {
		name = as
	}
	if !body.is() {
		return
	}
	if n.kind() == "enum_specifier" {
		s.enum(n, text, name)
		return
	}
	if name == "" || n.field("name").in("qualified_identifier", "template_type") {
		if s.visible() {
			s.unsaid(s.outer + front + n.spell(nil))
		}
		return
	}
	kind := strings.TrimSuffix(n.kind(), "_specifier")
	d := &source.Decl{Kind: kind, Members: map[string]source.Member{}, Text: strings.TrimSpace(front + n.child("virtual_specifier").spell(nil)),
		Sealed: n.child("virtual_specifier").is()}
	access := "private "
	if kind != "class" {
		access = "public "
	}
	how := access
	for b := range n.child("base_class_clause").all() {
		switch {
		case b.source() == ",":
			how = access
		case b.kind() == "access_specifier":
			how = b.source() + " "
		case b.named() && !b.comment():
			if how != "private " {
				d.Members["is a "+how+b.spell(nil)] = source.Member{}
			}
		}
	}
	s.symbol(s.outer+name, n, text)
	inner := s
	inner.seen, inner.outer, inner.of, inner.calls, inner.access = s.visible(), strings.TrimPrefix(s.outer, "::")+name+"::", d, map[string]*callable{}, ""
	if kind == "class" {
		inner.access = "private"
	}
	inner.items(body)
	inner.offerCalls()
	s.offer(s.outer+name, n, *d)
}

func (s cScope) enum(n node, text, name string) {
	kind, within := "enum", s.outer
	for c := range n.all() {
		if c.source() == "class" || c.source() == "struct" {
			kind, within = "enum class", strings.TrimPrefix(s.outer, "::")+name+"::"
		}
	}
	members := map[string]source.Member{}
	last, after := "0", 0
	for e := range n.field("body").children() {
		if e.kind() != "enumerator" {
			members["condition "+e.spell(nil)] = source.Member{}
			continue
		}
		value := e.field("value").spell(nil)
		if value != "" {
			last, after = value, 0
		} else {
			value = fmt.Sprintf("%s + %d", last, after)
		}
		after++
		constant := e.field("name").source()
		s.symbol(within+constant, e, e.source())
		members["constant "+constant] = source.Member{Value: value}
		if name == "" {
			s.offer(within+constant, e, source.Decl{Kind: "constant", Value: value})
		}
	}
	if name != "" {
		s.symbol(s.outer+name, n, text)
		s.offer(s.outer+name, n, source.Decl{Kind: kind, Text: n.field("base").spell(nil), Members: members})
	}
}

// declared is the name in a declarator, in all that is around it.
func declared(n node) node {
	for n.is() && !n.in("identifier", "field_identifier", "type_identifier", "qualified_identifier", "destructor_name",
		"operator_name", "operator_cast", "template_function", "primitive_type", "structured_binding_declarator") {
		next := n.field("declarator")
		if !next.is() {
			for c := range n.children() {
				next = c
			}
		}
		n = next
	}
	return n
}

// calls is the declarator of a function in a declarator; none where it declares
// something else, such as a pointer to a function.
func calls(n node) node {
	for n.in("pointer_declarator", "reference_declarator", "init_declarator", "attributed_declarator") {
		next := n.field("declarator")
		if !next.is() {
			for c := range n.children() {
				next = c
			}
		}
		n = next
	}
	if n.in("function_declarator") && !n.field("declarator").in("parenthesized_declarator") || n.in("operator_cast") {
		return n
	}
	return node{}
}

// plain are the words and nodes that say nothing to those who use a declaration.
func plainC(n node) bool {
	switch n.kind() {
	case "inline", "extern", "attribute_specifier", "attribute_declaration", "ms_declspec_modifier", "compound_statement",
		"field_initializer_list", "default_method_clause", ";", "try_statement", "storage_class_specifier", "alignas_qualifier":
		return n.kind() != "storage_class_specifier" || n.source() != "static" && n.source() != "thread_local"
	case "virtual_specifier":
		return n.source() == "override"
	}
	return false
}

// declaration is what declares variables, functions, fields or names of types.
func (s cScope) declaration(all, n node, text, front string) {
	if t := n.field("type"); t.field("body").is() {
		as := ""
		if n.kind() == "type_definition" {
			as = declared(n.field("declarator")).source()
		}
		s.typ(t, text, front, as)
		if as != "" && !t.field("name").is() && !strings.Contains(n.field("declarator").source(), "*") {
			return
		}
	}
	found := false
	for d := range n.all() {
		if d.role() != "declarator" || !d.named() {
			continue
		}
		found = true
		s.declarator(all, n, d, text, front)
	}
	if !found && n.kind() != "type_definition" && !n.field("type").in("class_specifier", "struct_specifier", "union_specifier", "enum_specifier") && s.visible() {
		s.unsaid(s.outer + n.spell(nil))
	}
}

func (s cScope) declarator(all, n, d node, text, front string) {
	name := declared(d)
	if !name.is() {
		return
	}
	spelled := name.spell(nil)
	if i := strings.IndexByte(spelled, '<'); i > 0 && name.kind() == "qualified_identifier" {
		spelled = withoutArguments(spelled)
	}
	if name.kind() == "operator_cast" {
		spelled = "operator " + name.field("type").spell(nil)
	}
	full := s.outer + spelled
	if name.kind() == "qualified_identifier" {
		full = strings.TrimPrefix(s.outer, "::") + strings.TrimPrefix(spelled, "::")
	}
	s.symbol(full, all, text)
	if name.kind() == "qualified_identifier" {
		return // it is declared where it belongs to
	}
	type_ := n.field("type")
	skip := func(c node) bool {
		return plainC(c) || c.at == name.at && c.kind() != "operator_cast" || c.role() == "body" || c.role() == "default_value" || c.role() == "value" ||
			c.role() == "declarator" && c.at != d.at && parentOf(n, c) || c.at == type_.field("body").at && type_.field("body").is()
	}
	f := calls(d)
	if n.kind() == "type_definition" {
		s.types().offer(full, all, source.Decl{Kind: "type", Text: front + strings.TrimPrefix(n.spell(skip), "typedef ")})
		return
	}
	if !s.header && static(n) {
		return
	}
	if !f.is() {
		kind := "variable"
		if s.of != nil {
			kind = "field"
		}
		value := d.field("value")
		if !value.is() {
			value = n.field("default_value")
		}
		said := strings.NewReplacer(",", "", "=", "").Replace(n.spell(skip))
		s.offer(full, all, source.Decl{Kind: kind, Value: value.spell(nil), Text: strings.TrimSpace(front + said)})
		return
	}
	s.call(all, n, f, full, front, skip)
}

// static reports whether a declaration is one of its file alone.
func static(n node) bool {
	for c := range n.all() {
		if c.kind() == "storage_class_specifier" && c.source() == "static" {
			return true
		}
	}
	return false
}

// types is the scope for types: those of a file that is no header are its own.
func (s cScope) types() cScope {
	s.seen = s.seen && s.header
	return s
}

// parentOf reports whether a node is a child of another one.
func parentOf(n, c node) bool {
	for x := range n.all() {
		if x.at == c.at {
			return true
		}
	}
	return false
}

// call adds a way to call a function.
func (s cScope) call(all, n, f node, name, front string, skip func(node) bool) {
	params := f.field("parameters")
	if f.kind() == "operator_cast" {
		params = f.field("declarator").field("parameters")
	}
	types, values := cParameters(params)
	pure := n.field("default_value").is() && s.of != nil
	said := n.spell(func(c node) bool { return skip(c) || c.at == params.at })
	said = strings.TrimSuffix(strings.TrimSpace(said), "=")
	key := "(" + types + ")"
	for c := range f.all() {
		if c.at > params.at && c.in("type_qualifier", "ref_qualifier") {
			key += " " + c.source()
		}
	}
	if pure && s.access != "private" {
		s.of.Members["function "+name[len(s.outer):]+key] = source.Member{Asked: true}
	}
	if !s.visible() {
		return
	}
	id := name + "\x00" + s.when
	c := s.calls[id]
	if c == nil {
		c = &callable{name, all, source.Decl{Kind: "function", Members: map[string]source.Member{}, Builds: when(s.when)}}
		s.calls[id] = c
	}
	text := strings.Join(strings.Fields(s.access+" "+s.macrosIn(all)+front+said), " ")
	if was, ok := c.Members[key]; ok { // declared and defined
		values = strings.TrimSpace(was.Value + values)
		text = was.Text
	}
	c.Members[key] = source.Member{Text: text, Value: strings.TrimSpace(values)}
}

// cParameters are the types of what is given, and what need not be.
func cParameters(n node) (types, values string) {
	var t, v []string
	for c := range n.all() {
		if !c.named() && c.source() != "..." || c.comment() {
			continue
		}
		value := c.field("default_value")
		name := declared(c.field("declarator"))
		text := c.spell(func(x node) bool {
			return x.role() == "declarator" && x.kind() == "identifier" || name.is() && x.at == name.at || x.at == value.at && value.is() || plainC(x)
		})
		if text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "=")); text != "" {
			t = append(t, text)
		}
		if value.is() {
			v = append(v, fmt.Sprintf("#%d = %s", len(t), value.spell(nil)))
		}
	}
	if len(t) == 1 && t[0] == "void" {
		t = nil
	}
	return strings.Join(t, ", "), strings.Join(v, ", ")
}

// withoutArguments is a name without those of templates.
func withoutArguments(name string) string {
	var b strings.Builder
	deep := 0
	for _, r := range name {
		switch r {
		case '<':
			deep++
		case '>':
			deep--
		default:
			if deep == 0 {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}
