package treesitter

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/ledger/source"
)

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

// types is the scope for types: those of a file that is no header are its own.
func (s cScope) types() cScope {
	s.seen = s.seen && s.header
	return s
}
