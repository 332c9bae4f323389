package treesitter

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger/source"
)

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
