package treesitter

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger/source"
)

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
