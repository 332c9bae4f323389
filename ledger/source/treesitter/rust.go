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
	spelled := func(name string) string { return strings.ReplaceAll(source.Literally(name), "_", `[\-_]`) }
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

// expands notes a macro that may make anything.
func (s rustScope) expands(it item) {
	if s.seen && !it.test {
		s.unsaid("macro " + strings.Join(it.when, " ") + it.spell(nil))
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
