package treesitter

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/ledger/source"
)

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
