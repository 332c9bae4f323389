package plan

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Kinds of nodes, named as in [Value].
const (
	kindString   = "string"
	kindInteger  = "integer"
	kindFloat    = "float"
	kindBoolean  = "boolean"
	kindDatetime = "datetime"
	kindArray    = "array"
	kindTable    = "table"
)

// A node is one value of a TOML document, with the place it was written at.
type node struct {
	kind   string
	text   string // a scalar in canonical spelling
	offset int32  // of the value; of a table, its header; else of its key
	origin origin
	list   []*node        // of an array
	keys   []member       // of a table, as written
	index  map[string]int // of the keys in lower case, once there are many
}

type member struct {
	name   string
	offset int32
	value  *node
}

// An origin says how a table or array came to be, which decides who may add to it.
type origin uint8

const (
	written  origin = iota // a value, an inline table, an array in brackets: closed
	implied                // a part of a longer header
	headed                 // [name], or an element of [[name]]
	dotted                 // a part of a dotted key
	repeated               // the array behind [[name]]
)

// find returns the value of a key spelled exactly so.
func (n *node) find(name string) *node {
	if i, ok := n.lookup(name); ok {
		return n.keys[i].value
	}
	return nil
}

const fewKeys = 8 // up to so many keys are searched without an index

func (n *node) lookup(name string) (int, bool) {
	i, ok := n.sibling(name)
	return i, ok && n.keys[i].name == name
}

// sibling finds the key that is name, or differs from it in case only. There is at most one.
func (n *node) sibling(name string) (int, bool) {
	if n.index != nil {
		i, ok := n.index[strings.ToLower(name)]
		return i, ok
	}
	for i := range n.keys {
		if have := n.keys[i].name; have == name || len(have) == len(name) && strings.EqualFold(have, name) {
			return i, true
		}
	}
	return 0, false
}

func (n *node) add(name string, offset int32, value *node) {
	n.keys = append(n.keys, member{name, offset, value})
	if n.index != nil {
		n.index[strings.ToLower(name)] = len(n.keys) - 1
	} else if len(n.keys) > fewKeys {
		n.index = make(map[string]int, 4*fewKeys)
		for i, m := range n.keys {
			n.index[strings.ToLower(m.name)] = i
		}
	}
}

// A builder makes a tree of nodes of a text.
type builder struct {
	src     *source
	parser  unstable.Parser
	found   *findings
	root    *node
	current *node // the table that key-values go to; nil after a header that was refused
}

// parseTOML reads a whole document; ok is false where the text is no TOML and the tree ends early.
func parseTOML(src *source, found *findings) (root *node, ok bool) {
	b := &builder{src: src, found: found, root: &node{kind: kindTable, origin: headed}}
	b.current = b.root
	if i := firstInvalid(src.text); i >= 0 {
		found.add("utf8-invalid", src.position(int32(i)), "the text is not UTF-8",
			"save the file as UTF-8")
		return b.root, false
	}
	if offset, why := measure(src.text); why != "" {
		found.add("toml-too-deep", src.position(int32(offset)), why, "split the value up")
		return b.root, false
	}
	b.parser.Reset(src.text)
	for b.parser.NextExpression() {
		b.expression(b.parser.Expression())
	}
	if err := b.parser.Error(); err != nil {
		b.syntaxError(err)
		return b.root, false
	}
	return b.root, true
}

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

func (b *builder) syntaxError(err error) {
	offset, text := len(b.src.text), err.Error()
	var parse *unstable.ParserError
	if errors.As(err, &parse) {
		text = parse.Message
		if at := cap(b.src.text) - cap(parse.Highlight); at >= 0 && at <= len(b.src.text) {
			offset = at
			text = wholeRune(text, b.src.text[at:])
		}
	}
	b.found.add("toml-parse-error", b.src.position(int32(offset)), "not TOML: "+text, "nothing behind this place was read")
}

// wholeRune names in a parser's message the character that stands at the beginning of rest, where the message names its first byte only.
func wholeRune(message string, rest []byte) string {
	r, size := utf8.DecodeRune(rest)
	if size < 2 {
		return message
	}
	return strings.ReplaceAll(message, fmt.Sprintf("%#U", rune(rest[0])), fmt.Sprintf("%#U", r))
}

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

func keyOffset(n *unstable.Node) int32 { return int32(n.Raw.Offset) }

// header finds or makes the table that a header names.
func (b *builder) header(n *unstable.Node, repeat bool) *node {
	at := b.root
	parts := n.Key()
	start := int32(-1)
	for depth := 1; parts.Next(); depth++ {
		part := parts.Node()
		name, offset := string(part.Data), keyOffset(part)
		if start < 0 {
			start = b.bracket(offset)
		}
		if depth > maxDepth {
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
func (b *builder) bracket(offset int32) int32 {
	for i := offset; i > 0; i-- {
		if b.src.text[i-1] == '[' {
			if i > 1 && b.src.text[i-2] == '[' {
				return i - 2
			}
			return i - 1
		}
	}
	return offset
}

func (b *builder) table(parent *node, name string, offset, start int32) *node {
	i, ok := parent.lookup(name)
	if !ok {
		t := &node{kind: kindTable, origin: headed, offset: start}
		b.insert(parent, name, offset, t)
		return t
	}
	t := parent.keys[i].value
	if t.kind == kindTable && t.origin == implied {
		t.origin, t.offset = headed, start
		return t
	}
	b.duplicate(name, offset)
	return nil
}

func (b *builder) element(parent *node, name string, offset, start int32) *node {
	i, ok := parent.lookup(name)
	if !ok {
		b.insert(parent, name, offset, &node{kind: kindArray, origin: repeated, offset: start})
		if i, ok = parent.lookup(name); !ok {
			return nil
		}
	}
	array := parent.keys[i].value
	if array.kind != kindArray || array.origin != repeated {
		b.duplicate(name, offset)
		return nil
	}
	t := &node{kind: kindTable, origin: headed, offset: start}
	array.list = append(array.list, t)
	return t
}

// enter steps into the table name of parent, or the last table of the array name; as says what to make
// of it if it is new.
func (b *builder) enter(parent *node, name string, offset int32, as origin) *node {
	i, ok := parent.lookup(name)
	if !ok {
		t := &node{kind: kindTable, origin: as, offset: offset}
		b.insert(parent, name, offset, t)
		return t
	}
	t := parent.keys[i].value
	switch {
	case as == dotted && t.kind == kindTable && t.origin == dotted:
		return t
	case as == implied && t.kind == kindTable && t.origin != written:
		return t
	case as == implied && t.origin == repeated && len(t.list) > 0:
		return t.list[len(t.list)-1]
	}
	b.duplicate(name, offset)
	return nil
}

func (b *builder) keyValue(table *node, n *unstable.Node, depth int) {
	parts := n.Key()
	for level := depth + 1; parts.Next(); level++ {
		part := parts.Node()
		name, offset := string(part.Data), keyOffset(part)
		if level > maxDepth {
			b.tooDeep(offset)
			return
		}
		if !parts.IsLast() {
			if table = b.enter(table, name, offset, dotted); table == nil {
				return
			}
			continue
		}
		if _, ok := table.lookup(name); ok {
			b.duplicate(name, offset)
			return
		}
		if value := b.value(n.Value(), offset, level); value != nil {
			b.insert(table, name, offset, value)
		}
	}
}

// insert adds a key, unless another differs from it in case only.
func (b *builder) insert(table *node, name string, offset int32, value *node) {
	if i, ok := table.sibling(name); ok {
		b.found.add("key-duplicate", b.src.position(offset),
			fmt.Sprintf("the keys %q and %q differ in case only", table.keys[i].name, name), "keep one of the two")
		return
	}
	table.add(name, offset, value)
}

func (b *builder) duplicate(name string, offset int32) {
	b.found.add("key-duplicate", b.src.position(offset), fmt.Sprintf("%q is already there", name),
		"a key, and a table that is no [[list]], stands once")
}

func (b *builder) tooDeep(offset int32) {
	b.found.add("toml-too-deep", b.src.position(offset),
		fmt.Sprintf("values are nested more than %d deep", maxDepth), "a plan needs far fewer levels")
}

func (b *builder) value(n *unstable.Node, offset int32, depth int) *node {
	if n.Raw.Length > 0 {
		offset = int32(n.Raw.Offset)
	}
	switch n.Kind {
	case unstable.Array:
		array := &node{kind: kindArray, offset: offset}
		items := n.Children()
		for items.Next() {
			if item := b.value(items.Node(), offset, depth+1); item != nil {
				array.list = append(array.list, item)
			}
		}
		return array
	case unstable.InlineTable:
		table := &node{kind: kindTable, offset: offset, origin: written}
		items := n.Children()
		for items.Next() {
			b.keyValue(table, items.Node(), depth)
		}
		return table
	}
	raw := string(n.Data)
	kind, text, fault := scalar(n.Kind, raw)
	if fault != "" {
		b.found.add("value-range", b.src.position(offset), fault, "")
		return nil
	}
	return &node{kind: kind, text: text, offset: offset}
}
