package treesitter

import (
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger/source"
)

var rust = &language{name: "Rust", extensions: []string{".rs"}, grammar: grammar{"rust", "tree-sitter-rust 0.24.0"},
	read: readRust, places: rustPlaces, alone: rustAlone}

// rustAlone are macros: what they are given need only be signs that they know.
// The one that is called try has a name that became a keyword in later editions.
func rustAlone(n node) bool {
	return n.in("token_tree", "macro_definition") || n.kind() == "ERROR" && n.source() == "try!"
}

// rustModule is the module of a file, as paths name it: crate is that of src in
// the root, and a crate in a folder has the folder's name. What is in no src is
// named by its path.
func rustModule(p string) []string {
	parts := strings.Split(strings.TrimSuffix(p, ".rs"), "/")
	at := len(parts) - 2
	for at >= 0 && parts[at] != "src" {
		at--
	}
	if at < 0 {
		return unraw(parts)
	}
	name, rest := "crate", parts[at+1:]
	if at > 0 {
		name = parts[at-1]
	}
	if last := rest[len(rest)-1]; last == "mod" || len(rest) == 1 && (last == "lib" || last == "main") {
		rest = rest[:len(rest)-1]
	}
	return unraw(append([]string{name}, rest...))
}

// unraw spells folders as names of crates and modules.
func unraw(parts []string) []string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = strings.ReplaceAll(p, "-", "_")
	}
	return out
}

// rustPlaces are the files whose module a symbol may begin with.
func rustPlaces(symbol string) []string {
	parts := strings.Split(symbol, "::")
	if len(parts) < 2 || slices.Contains(parts, "") || strings.ContainsAny(symbol, "/.") {
		return nil
	}
	spelled := func(name string) string { return strings.ReplaceAll(source.Literally(name), "_", "[-_]") }
	var places []string
	for n := 1; n < len(parts); n++ {
		modules := make([]string, n)
		for i, p := range parts[:n] {
			modules[i] = spelled(p)
		}
		files := []string{path.Join("src", path.Join(modules[1:]...))}
		files = []string{files[0] + ".rs", path.Join(files[0], "mod.rs")}
		if n == 1 {
			files = []string{"src/lib.rs", "src/main.rs", "src/mod.rs"}
		}
		for _, f := range files {
			if parts[0] == "crate" {
				places = append(places, f)
			} else {
				places = append(places, within(3, path.Join(modules[0], f))...)
			}
		}
		places = append(places, path.Join(modules...)+".rs", path.Join(path.Join(modules...), "mod.rs"))
	}
	return places
}

// rustOffers reports whether a file may offer something: tests, examples, build
// scripts and programs do not.
func rustOffers(p string) bool {
	parts := strings.Split(p, "/")
	file := parts[len(parts)-1]
	for _, folder := range parts[:len(parts)-1] {
		if folder == "tests" || folder == "benches" || folder == "examples" || folder == "testdata" || folder == "bin" {
			return false
		}
	}
	return file != "build.rs" && file != "main.rs" && file != "tests.rs"
}

// A rustScope is a module that is looked through, or what an impl or a trait
// holds.
type rustScope struct {
	*reading
	module string // with ::
	seen   bool   // others can reach what is public in it
	when   string // the condition that it is there under
	within bool   // it is what an impl holds
	header string // of an impl that is not for all types alike
	// reached are the modules that something is exported again of, by their first
	// name; hidden the types that are not public.
	reached, hidden map[string]bool
}

func readRust(r *reading) {
	s := rustScope{reading: r, module: strings.Join(rustModule(r.file.Path), "::") + "::", seen: rustOffers(r.file.Path)}
	for n := range r.root().all() {
		if n.in("inner_attribute_item") && strings.HasPrefix(n.spell(nil), "#![cfg(") {
			s.when += strings.Trim(n.spell(nil), "#![]")
		}
	}
	if s.when == "cfg(test)" {
		s.seen = false
	}
	s.items(r.root())
}

// An item is a declaration with what its attributes say.
type item struct {
	node
	public             bool
	test, exhaustively bool     // exhaustively: nobody is told that more may come
	exported           bool     // a macro that others can use
	when               []string // conditions
	derived            []string
	shape              string // attributes that users see
	unsaid             string // attributes that may make anything of it
}

// ignored are the attributes that change nothing for users, and those that are
// read elsewhere.
var ignored = strings.Fields("allow warn deny expect forbid doc inline must_use deprecated cold track_caller test ignore " +
	"should_panic bench automatically_derived macro_use path rustfmt clippy diagnostic derive cfg non_exhaustive " +
	"macro_export repr no_mangle export_name link_name link target_feature default stable unstable rustc_const_stable " +
	"rustc_const_unstable must_not_suspend optimize serde global_allocator panic_handler recursion_limit feature")

func itemOf(n node, attributes []node) item {
	it := item{node: n, exhaustively: true, public: n.child("visibility_modifier").spell(nil) == "pub"}
	for _, a := range attributes {
		text := strings.TrimSuffix(strings.TrimPrefix(a.spell(nil), "#["), "]")
		if inner, ok := strings.CutPrefix(text, "unsafe("); ok {
			text = strings.TrimSuffix(inner, ")")
		}
		name, _, _ := strings.Cut(strings.TrimSpace(strings.FieldsFunc(text+" ", func(r rune) bool {
			return r == '(' || r == '=' || r == '[' || r == ' '
		})[0]), "::")
		switch name {
		case "cfg":
			it.when = append(it.when, text)
			it.test = it.test || text == "cfg(test)"
		case "test", "bench":
			it.test = true
		case "derive":
			list := strings.TrimSuffix(strings.TrimPrefix(text, "derive("), ")")
			for d := range strings.SplitSeq(list, ",") {
				if d = strings.TrimSpace(d); d != "" {
					it.derived = append(it.derived, d)
				}
			}
		case "non_exhaustive":
			it.exhaustively = false
			it.shape += "#[non_exhaustive] "
		case "repr", "no_mangle", "export_name", "link_name", "target_feature":
			it.shape += "#[" + text + "] "
		case "macro_export":
			it.exported = true
		default:
			if !slices.Contains(ignored, name) {
				it.unsaid += "#[" + text + "]"
			}
		}
	}
	return it
}

func rustAttribute(n node) bool { return n.in("attribute_item") }

// items looks through the items below a node.
func (s rustScope) items(parent node) {
	siblings := slices.Collect(parent.all())
	s.reached, s.hidden = reached(siblings, s.module), hidden(siblings)
	defer func(outer map[string]string) { s.reading.imports = outer }(s.reading.imports)
	if parent.in("source_file") || parent.role() == "body" && !s.within {
		s.reading.imports = imports(siblings)
	}
	var attributes []node
	for _, n := range siblings {
		switch {
		case rustAttribute(n):
			attributes = append(attributes, n)
			continue
		case n.comment():
			continue
		case n.named():
			s.item(itemOf(n, attributes), n.whole(rustAttribute, siblings))
		}
		attributes = nil
	}
}

// reached are the first names of what is exported again.
func reached(siblings []node, module string) map[string]bool {
	out := map[string]bool{}
	for _, n := range siblings {
		if n.in("use_declaration") && n.child("visibility_modifier").is() {
			for _, u := range uses(n.field("argument"), "") {
				p := strings.TrimPrefix(strings.TrimPrefix(u.path, "self::"), module)
				first, _, _ := strings.Cut(p, "::")
				out[first] = true
			}
		}
	}
	return out
}

// imports are the names that are imported, and what they are.
func imports(siblings []node) map[string]string {
	out := map[string]string{}
	for _, n := range siblings {
		if n.in("use_declaration") {
			for _, u := range uses(n.field("argument"), "") {
				if u.name != "*" && u.name != "_" {
					out[u.name] = u.path
				}
			}
		}
	}
	return out
}

// hidden are the types that are declared without pub.
func hidden(siblings []node) map[string]bool {
	out := map[string]bool{}
	for _, n := range siblings {
		if n.in("struct_item", "enum_item", "union_item") && n.child("visibility_modifier").spell(nil) != "pub" {
			out[n.field("name").source()] = true
		}
	}
	return out
}

// A use is a name that is imported, and what it is.
type use struct{ name, path string }

// uses are the names of a use declaration; * for all of a path.
func uses(n node, prefix string) (out []use) {
	join := func(p string) string {
		if prefix == "" {
			return p
		}
		return prefix + "::" + p
	}
	switch n.kind() {
	case "use_list":
		for c := range n.children() {
			out = append(out, uses(c, prefix)...)
		}
	case "scoped_use_list":
		if p := n.field("path"); p.is() {
			prefix = join(p.spell(nil))
		}
		out = uses(n.field("list"), prefix)
	case "use_as_clause":
		out = []use{{n.field("alias").source(), join(n.field("path").spell(nil))}}
	case "use_wildcard":
		p := strings.TrimSuffix(strings.TrimSuffix(n.spell(nil), "*"), "::")
		out = []use{{"*", strings.TrimSuffix(join(p), "::")}}
	case "":
	default:
		p := join(n.spell(nil))
		p = strings.TrimSuffix(p, "::self")
		out = []use{{p[strings.LastIndex(p, ":")+1:], p}}
	}
	return out
}

// name is that of an item in its scope.
func (s rustScope) name(n node) string {
	return s.module + strings.TrimPrefix(n.field("name").source(), "r#")
}

// offer adds a declaration where others can reach it.
func (s rustScope) offer(it item, name string, d source.Decl) {
	if !s.seen || !it.public || it.test {
		return
	}
	d.Text = strings.Trim(s.header+it.shape+d.Text, " ,")
	d.Builds = when(append([]string{s.when}, it.when...)...)
	if it.unsaid != "" {
		d.Unsaid = short(it.unsaid)
	}
	s.reading.offer(name, it.node, d)
}

func (s rustScope) item(it item, text string) {
	switch it.kind() {
	case "function_item", "function_signature_item":
		s.symbol(s.name(it.node), it.node, text)
		s.offer(it, s.name(it.node), function(it.node))
	case "struct_item", "union_item", "enum_item":
		s.symbol(s.name(it.node), it.node, text)
		s.offer(it, s.name(it.node), s.typ(it))
	case "trait_item":
		s.trait(it, text)
	case "impl_item":
		s.impl(it)
	case "mod_item":
		s.mod(it, text)
	case "const_item", "static_item":
		if it.field("name").source() == "_" {
			return
		}
		kind := strings.TrimSuffix(it.kind(), "_item")
		if it.child("mutable_specifier").is() {
			kind += " mut"
		}
		s.symbol(s.name(it.node), it.node, text)
		s.offer(it, s.name(it.node), source.Decl{Kind: kind, Text: it.field("type").spell(nil), Value: it.field("value").spell(nil)})
	case "type_item", "associated_type":
		s.symbol(s.name(it.node), it.node, text)
		s.offer(it, s.name(it.node), source.Decl{Kind: "type", Text: besides(it.node, "visibility_modifier")})
	case "foreign_mod_item":
		s.within = true
		s.items(it.field("body"))
	case "use_declaration", "extern_crate_declaration":
		s.again(it)
	case "macro_definition":
		s.symbol(s.name(it.node), it.node, text)
		if it.exported {
			it.public = true
			s.offer(it, s.name(it.node), source.Decl{Kind: "macro", Unsaid: short(it.spell(nil))})
		} else {
			s.expands(it)
		}
	case "macro_invocation", "expression_statement":
		s.expands(it)
	}
}

// expands notes a macro that may make anything.
func (s rustScope) expands(it item) {
	if s.seen && !it.test {
		s.unsaid("macro " + strings.Join(it.when, " ") + it.spell(nil))
	}
}

// again offers what is exported again.
func (s rustScope) again(it item) {
	if it.kind() == "extern_crate_declaration" {
		s.offer(it, s.module+it.field("name").source(), source.Decl{Unsaid: it.spell(nil)})
		return
	}
	for _, u := range uses(it.field("argument"), "") {
		switch {
		case u.name == "_":
		case u.name == "*" && s.seen && it.public && !it.test:
			s.unsaid("use " + strings.Join(it.when, " ") + u.path + "::*")
		case u.name != "*":
			s.offer(it, s.module+u.name, source.Decl{Unsaid: "use " + u.path})
		}
	}
}

// mod looks through a module; one of another file is named.
func (s rustScope) mod(it item, text string) {
	name := s.name(it.node)
	s.symbol(name, it.node, text)
	s.offer(it, name, source.Decl{Kind: "module"})
	if body := it.field("body"); body.is() {
		s.seen = s.seen && !it.test && (it.public || s.reached[it.field("name").source()])
		s.when = strings.TrimSpace(s.when + " " + strings.Join(it.when, " "))
		s.module = name + "::"
		s.items(body)
	}
}

// besides is a declaration without its name, and without children of some kinds.
func besides(n node, others ...string) string {
	name := n.field("name")
	return n.spell(func(c node) bool { return c.at == name.at || c.kind() == ";" || slices.Contains(others, c.kind()) })
}

// function is how a function is called: names of parameters are not said.
func function(n node) source.Decl {
	d := source.Decl{Kind: "function"}
	var b []byte
	for c := range n.all() {
		switch {
		case c.comment() || c.in("visibility_modifier", "fn", ";") || c.role() == "name" || c.role() == "body":
		case c.in("function_modifiers"):
			for m := range c.all() {
				if m.kind() == "const" {
					d.Members = map[string]source.Member{"const": {}}
				} else {
					m.spellTo(&b, nil)
				}
			}
		case c.role() == "parameters":
			b = append(b, parameters(c)...)
		default:
			c.spellTo(&b, nil)
		}
	}
	d.Text = string(b)
	return d
}

func parameters(n node) string {
	var all []string
	for c := range n.children() {
		switch c.kind() {
		case "parameter":
			all = append(all, c.field("type").spell(nil))
		case "self_parameter":
			all = append(all, strings.TrimPrefix(c.spell(nil), "mut "))
		case "attribute_item":
		default:
			all = append(all, c.spell(nil))
		}
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// typ is what a struct, enum or union shows.
func (s rustScope) typ(it item) source.Decl {
	body := it.field("body")
	d := source.Decl{Kind: strings.TrimSuffix(it.kind(), "_item"), Members: map[string]source.Member{}, Sealed: !it.exhaustively,
		Text: it.spell(func(c node) bool {
			return c.at == it.field("name").at || c.at == body.at || c.in("visibility_modifier", "struct", "enum", "union", ";")
		})}
	for _, name := range it.derived {
		d.Members["derive "+name] = source.Member{}
	}
	if body.is() && body.kind() == "ordered_field_declaration_list" {
		d.Text = strings.TrimSpace("tuple " + d.Text)
	} else if !body.is() {
		d.Text = strings.TrimSpace("unit " + d.Text)
	}
	if it.kind() == "enum_item" {
		variants(d.Members, body)
		for v := range body.children() {
			if v.kind() == "enum_variant" {
				s.symbol(s.name(it.node)+"::"+v.field("name").source(), v, v.source())
			}
		}
		return d
	}
	if fields(d.Members, body) {
		// nobody else can make one, so that more may come
		d.Sealed = true
		d.Members["private fields"] = source.Member{Asked: true}
	}
	return d
}

// fields adds the fields of a struct, and reports whether there are private ones.
func fields(members map[string]source.Member, body node) (private bool) {
	place, public := 0, false
	attributes := ""
	for c := range body.all() {
		switch {
		case c.kind() == "visibility_modifier":
			public = c.spell(nil) == "pub"
		case rustAttribute(c):
			if text := c.spell(nil); strings.HasPrefix(text, "#[cfg") {
				attributes += text + " "
			}
		case c.kind() == "field_declaration":
			public = c.child("visibility_modifier").spell(nil) == "pub"
			if public {
				members["field "+c.field("name").source()] = source.Member{Text: attributes + c.field("type").spell(nil), Asked: true}
			}
			private = private || !public
			attributes, public = "", false
		case c.role() == "type":
			if public {
				members["field "+string(rune('0'+place%10))+strings.Repeat("'", place/10)] =
					source.Member{Text: attributes + c.spell(nil), Asked: true}
			}
			private = private || !public
			place++
			attributes, public = "", false
		}
	}
	return private
}

// variants adds those of an enum, each with its shape.
func variants(members map[string]source.Member, body node) {
	attributes := ""
	for v := range body.all() {
		switch {
		case rustAttribute(v):
			if text := v.spell(nil); strings.HasPrefix(text, "#[cfg") || text == "#[non_exhaustive]" {
				attributes += text + " "
			}
		case v.kind() == "enum_variant":
			members["variant "+v.field("name").source()] = source.Member{Asked: true,
				Text: attributes + v.field("body").spell(func(c node) bool { return rustAttribute(c) }), Value: short(v.field("value").spell(nil))}
			attributes = ""
		}
	}
}

// trait is what those bring who write one, and what they get.
func (s rustScope) trait(it item, text string) {
	name, body := s.name(it.node), it.field("body")
	s.symbol(name, it.node, text)
	d := source.Decl{Kind: "trait", Members: map[string]source.Member{}, Text: it.spell(func(c node) bool {
		return c.at == it.field("name").at || c.at == body.at || c.in("visibility_modifier", "trait")
	})}
	siblings := slices.Collect(body.all())
	for _, c := range siblings {
		n := c.field("name").source()
		switch c.kind() {
		case "function_item", "function_signature_item":
			f := function(c)
			d.Members["function "+n] = source.Member{Text: f.Text, Asked: c.kind() == "function_signature_item"}
		case "const_item":
			d.Members["const "+n] = source.Member{Text: c.field("type").spell(nil), Value: short(c.field("value").spell(nil)),
				Asked: !c.field("value").is()}
		case "associated_type":
			d.Members["type "+n] = source.Member{Text: besides(c), Asked: !strings.Contains(c.spell(nil), "=")}
		case "macro_invocation", "expression_statement":
			s.expands(item{node: c})
			continue
		default:
			continue
		}
		s.symbol(name+"::"+n, c, c.whole(rustAttribute, siblings))
	}
	s.offer(it, name, d)
}

// impl looks through what a type can do: what it says by itself is named below
// the type, and that it has a trait is one declaration.
func (s rustScope) impl(it item) {
	typ, trait, body := it.field("type"), it.field("trait"), it.field("body")
	base := typ
	for base.in("generic_type", "reference_type", "pointer_type") {
		base = base.field("type")
	}
	last := base.source()
	last = last[strings.LastIndex(last, ":")+1:]
	s.seen = s.seen && !it.test && !s.hidden[last]
	header := it.spell(func(c node) bool { return c.at == body.at })
	inner := s
	inner.within = true
	inner.module += strings.TrimSpace(last) + "::"
	inner.when = strings.TrimSpace(s.when + " " + strings.Join(it.when, " "))
	if trait.is() {
		inner.seen = false
		d := source.Decl{Kind: "implementation", Members: map[string]source.Member{}, Text: header}
		for c := range body.children() {
			if c.in("type_item", "associated_type") {
				d.Members["type "+c.field("name").source()] = source.Member{Text: besides(c, "visibility_modifier")}
			}
		}
		it.public = true
		s.offer(it, s.module+"impl "+trait.spell(nil)+" for "+typ.spell(nil), d)
	}
	if it.field("type_parameters").is() || typ.kind() == "generic_type" || it.child("where_clause").is() {
		inner.header = header + " "
	}
	inner.items(body)
}
