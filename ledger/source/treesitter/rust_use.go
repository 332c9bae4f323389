package treesitter

import (
	"strings"

	"github.com/planlock/planlock/ledger/source"
)

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
