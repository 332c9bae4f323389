package tomltree

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// A Fault is one thing that is wrong with a document.
type Fault struct {
	Kind   FaultKind
	Offset int
	Name   string // of a key that stands twice
	Other  string // the key that is there already
	Text   string // what is wrong, in words
}

// FaultKind says what kind of fault it is.
type FaultKind uint8

// The kinds of faults. Behind the first three nothing is read.
const (
	NotText  FaultKind = iota // bytes that are not UTF-8
	TooLarge                  // nested deeper, or in more parts, than a plan needs
	NotTOML                   // the parser stopped
	TooDeep                   // a key or header is nested deeper than a plan needs
	Twice                     // a key, or a table that is no list, stands twice
	TwoCases                  // two keys differ in case only
	NoValue                   // a number or a time that is none
)

// Rules are what a reader wants of documents besides that they are TOML.
type Rules struct {
	// Strict refuses keys that differ in case only, and numbers that cannot be
	// compared or that some programs cannot keep. Otherwise such numbers, and
	// values that are none, are texts.
	Strict bool
	// Tables bounds how many tables there are, at most; 0 bounds them by the
	// length of the text only.
	Tables int
}

// Parse reads a whole document and reports its faults one by one, in the order
// in which they are met. It returns what was read, and whether that is all of
// the text. A byte order mark is no part of a document.
func Parse(text []byte, rules Rules, report func(Fault)) (root *Node, whole bool) {
	b := &builder{text: text, rules: rules, report: report, folded: map[*Node]map[string]int{},
		root: &Node{Kind: Table, origin: headed}}
	b.current = b.root
	if i := firstInvalid(text); i >= 0 {
		report(Fault{Kind: NotText, Offset: i, Text: "the text is not UTF-8"})
		return b.root, false
	}
	if offset, why := measure(text); why != "" {
		report(Fault{Kind: TooLarge, Offset: offset, Text: why})
		return b.root, false
	}
	b.parser.Reset(text)
	for tables := 0; b.parser.NextExpression(); {
		e := b.parser.Expression()
		if e.Kind == unstable.Table || e.Kind == unstable.ArrayTable {
			if tables++; rules.Tables > 0 && tables > rules.Tables {
				report(Fault{Kind: TooLarge, Offset: b.headerOffset(e), Text: "there are more tables than a plan of this size has"})
				return b.root, false
			}
		}
		b.expression(e)
	}
	if err := b.parser.Error(); err != nil {
		b.syntax(err)
		return b.root, false
	}
	return b.root, true
}

// A builder makes a tree of nodes of a text.
type builder struct {
	text    []byte
	rules   Rules
	report  func(Fault)
	parser  unstable.Parser
	root    *Node
	current *Node                    // the table that key-values go to; nil after a header that was refused
	folded  map[*Node]map[string]int // the keys of large tables in lower case
}

// firstInvalid finds the first byte that is not UTF-8, or -1.
func firstInvalid(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// syntax reports where the parser stopped. The place is that of the part that
// the parser points to, which it gives as a slice of the text.
func (b *builder) syntax(err error) {
	offset, text := len(b.text), err.Error()
	var parse *unstable.ParserError
	if errors.As(err, &parse) {
		text = parse.Message
		if at := cap(b.text) - cap(parse.Highlight); at >= 0 && at <= len(b.text) {
			offset = at
			text = wholeRune(text, b.text[at:])
		}
	}
	b.report(Fault{Kind: NotTOML, Offset: offset, Text: text})
}

// wholeRune names in a parser's message the character that stands at the
// beginning of rest, where the message names its first byte only.
func wholeRune(message string, rest []byte) string {
	r, size := utf8.DecodeRune(rest)
	if size < 2 {
		return message
	}
	return strings.ReplaceAll(message, fmt.Sprintf("%#U", rune(rest[0])), fmt.Sprintf("%#U", r))
}

// expression takes a line of the document: a key with its value, or a header.
// Behind a header that was refused, keys are passed over up to the next
// header.
func (b *builder) expression(n *unstable.Node) {
	switch n.Kind {
	case unstable.KeyValue:
		if b.current != nil {
			b.keyValue(b.current, n, 0)
		}
	case unstable.Table:
		b.current = b.header(n, false)
	case unstable.ArrayTable:
		b.current = b.header(n, true)
	}
}

// keyOffset is where a part of a key stands in the text.
func keyOffset(n *unstable.Node) int { return int(n.Raw.Offset) }

// headerOffset is where a header begins.
func (b *builder) headerOffset(n *unstable.Node) int {
	if parts := n.Key(); parts.Next() {
		return b.bracket(keyOffset(parts.Node()))
	}
	return 0
}

// header finds or makes the table that a header names; nil where it is
// refused, so that the keys below it are not read into another table.
func (b *builder) header(n *unstable.Node, repeat bool) *Node {
	at := b.root
	parts := n.Key()
	start := -1
	for depth := 1; parts.Next(); depth++ {
		part := parts.Node()
		name, offset := string(part.Data), keyOffset(part)
		if start < 0 {
			start = b.bracket(offset)
		}
		if depth > MaxDepth {
			b.tooDeep(offset)
			return nil
		}
		if parts.IsLast() {
			if repeat {
				return b.element(at, name, offset, start)
			}
			return b.table(at, name, offset, start)
		}
		if at = b.enter(at, name, offset, implied); at == nil {
			return nil
		}
	}
	return nil
}

// bracket finds the opening bracket of a header from its first name.
func (b *builder) bracket(offset int) int {
	for i := offset; i > 0; i-- {
		if b.text[i-1] == '[' {
			if i > 1 && b.text[i-2] == '[' {
				return i - 2
			}
			return i - 1
		}
	}
	return offset
}

// table makes the table that a header names, or finds one that longer headers
// implied. One that has a header or keys of its own already stands twice.
func (b *builder) table(parent *Node, name string, offset, start int) *Node {
	t := parent.Find(name)
	if t == nil {
		t = &Node{Kind: Table, origin: headed, Offset: start, At: start}
		b.insert(parent, name, offset, t)
		return t
	}
	if t.Kind == Table && t.origin == implied {
		t.origin, t.Offset, t.At = headed, start, start
		return t
	}
	b.twice(name, offset)
	return nil
}

// element makes another table of the list that a header [[name]] names.
func (b *builder) element(parent *Node, name string, offset, start int) *Node {
	array := parent.Find(name)
	if array == nil {
		array = &Node{Kind: Array, origin: repeated, Offset: start, At: start}
		if !b.insert(parent, name, offset, array) {
			return nil
		}
	}
	if array.origin != repeated {
		b.twice(name, offset)
		return nil
	}
	t := &Node{Kind: Table, origin: headed, Offset: start, At: start}
	array.List = append(array.List, t)
	return t
}

// enter steps into the table name of parent, or the last table of the array
// name; as says what to make of it if it is new.
func (b *builder) enter(parent *Node, name string, offset int, as origin) *Node {
	t := parent.Find(name)
	switch {
	case t == nil:
		t = &Node{Kind: Table, origin: as, Offset: offset, At: offset}
		b.insert(parent, name, offset, t)
		return t
	case as == dotted && t.Kind == Table && t.origin == dotted:
		return t
	case as == implied && t.Kind == Table && t.origin != written:
		return t
	case as == implied && t.origin == repeated:
		return t.List[len(t.List)-1]
	}
	b.twice(name, offset)
	return nil
}

// keyValue adds a key with its value to a table, and the tables that a dotted
// key implies. depth is that of the table, so that keys in inline tables are
// bounded as headers are.
func (b *builder) keyValue(table *Node, n *unstable.Node, depth int) {
	parts := n.Key()
	for level := depth + 1; parts.Next(); level++ {
		part := parts.Node()
		name, offset := string(part.Data), keyOffset(part)
		if level > MaxDepth {
			b.tooDeep(offset)
			return
		}
		if !parts.IsLast() {
			if table = b.enter(table, name, offset, dotted); table == nil {
				return
			}
			continue
		}
		if table.Lookup(name) >= 0 {
			b.twice(name, offset)
			return
		}
		if value := b.value(n.Value(), offset, level); value != nil {
			value.At = offset
			b.insert(table, name, offset, value)
		}
	}
}

// insert adds a key that is not there yet, and reports whether it did.
func (b *builder) insert(table *Node, name string, offset int, value *Node) bool {
	if b.rules.Strict {
		if i := b.sibling(table, name); i >= 0 {
			b.report(Fault{Kind: TwoCases, Offset: offset, Name: name, Other: table.Keys[i].Name,
				Text: fmt.Sprintf("the keys %q and %q differ in case only", table.Keys[i].Name, name)})
			return false
		}
	}
	table.add(name, offset, value)
	return true
}

// sibling finds a key that differs from name in case only, or -1. No key is
// spelled exactly so. Large tables are indexed, since a search for each key
// would take the square of their length.
func (b *builder) sibling(n *Node, name string) int {
	if len(n.Keys) <= fewKeys {
		for i := range n.Keys {
			if have := n.Keys[i].Name; len(have) == len(name) && strings.EqualFold(have, name) {
				return i
			}
		}
		return -1
	}
	folded := b.folded[n]
	if folded == nil {
		folded = make(map[string]int, 4*fewKeys)
		b.folded[n] = folded
	}
	for i := len(folded); i < len(n.Keys); i++ {
		folded[strings.ToLower(n.Keys[i].Name)] = i
	}
	if i, ok := folded[strings.ToLower(name)]; ok {
		return i
	}
	return -1
}

// twice reports a name that is there already.
func (b *builder) twice(name string, offset int) {
	b.report(Fault{Kind: Twice, Offset: offset, Name: name, Other: name,
		Text: fmt.Sprintf("%q is already there", name)})
}

// tooDeep reports that the bound of nesting was passed.
func (b *builder) tooDeep(offset int) {
	b.report(Fault{Kind: TooDeep, Offset: offset, Text: fmt.Sprintf("values are nested more than %d deep", MaxDepth)})
}

// value makes a node of what a key or a list holds; nil where it is refused.
// Where rules are not strict, what is no value stays as the text that was
// written.
func (b *builder) value(n *unstable.Node, offset, depth int) *Node {
	if n.Raw.Length > 0 {
		offset = int(n.Raw.Offset)
	}
	v := &Node{Offset: offset, At: offset}
	switch n.Kind {
	case unstable.Array:
		v.Kind = Array
		items := n.Children()
		for items.Next() {
			if item := b.value(items.Node(), offset, depth+1); item != nil {
				v.List = append(v.List, item)
			}
		}
		return v
	case unstable.InlineTable:
		v.Kind = Table
		items := n.Children()
		for items.Next() {
			b.keyValue(v, items.Node(), depth)
		}
		return v
	}
	var fault string
	raw := string(n.Data)
	if v.Kind, v.Text, fault = scalar(n.Kind, raw, b.rules.Strict); fault != "" {
		if b.rules.Strict || n.Kind != unstable.Float {
			b.report(Fault{Kind: NoValue, Offset: offset, Text: fault})
		}
		if b.rules.Strict {
			return nil
		}
		v.Kind, v.Text = String, raw
	}
	if v.Kind == Float {
		v.Raw = raw
	}
	return v
}
