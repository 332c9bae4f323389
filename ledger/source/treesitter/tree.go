package treesitter

import (
	"bytes"
	"encoding/binary"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// A tree is a file that was parsed.
type tree struct {
	*parser
	text    []byte
	records []byte // the nodes, in the order in which they begin
	lines   []int  // where each line begins; nil: not looked at yet
}

// A node is one of a tree; that of no tree is none, and has nothing.
type node struct {
	*tree
	at int
}

func (t *tree) root() node { return node{t, 0} }

func (n node) is() bool { return n.tree != nil }

// word is one of the four of the node's record.
func (n node) word(i int) uint32 { return binary.LittleEndian.Uint32(n.records[n.at*recordSize+4*i:]) }

const (
	named = 1 << iota
	missing
	extra
	bits = 3
)

func (n node) named() bool   { return n.is() && n.word(3)&named != 0 }
func (n node) missing() bool { return n.is() && n.word(3)&missing != 0 }
func (n node) start() int    { return int(n.word(1)) }
func (n node) end() int      { return int(n.word(2)) }
func (n node) next() int     { return int(n.word(3) >> bits) }

// kind is what the grammar calls the node; "" for none.
func (n node) kind() string {
	if !n.is() {
		return ""
	}
	s := int(n.word(0) & 0xffff)
	if s >= len(n.symbols) {
		return "ERROR"
	}
	return n.symbols[s]
}

// in reports whether the node is of one of some kinds.
func (n node) in(kinds ...string) bool { return n.is() && slices.Contains(kinds, n.kind()) }

func (n node) comment() bool { return strings.HasSuffix(n.kind(), "comment") }

// role is the name of the field of its parent that the node is; "" where it is
// none.
func (n node) role() string {
	if !n.is() {
		return ""
	}
	f := int(n.word(0) >> 16)
	if f == 0 || f > len(n.fields) {
		return ""
	}
	return n.fields[f-1]
}

// all are the children of the node, comments and signs among them.
func (n node) all() iter.Seq[node] {
	return func(yield func(node) bool) {
		if !n.is() {
			return
		}
		for c := (node{n.tree, n.at + 1}); c.at < n.next(); c.at = c.next() {
			if !yield(c) {
				return
			}
		}
	}
}

// children are those that have a name and are no comments.
func (n node) children() iter.Seq[node] {
	return func(yield func(node) bool) {
		for c := range n.all() {
			if c.named() && !c.comment() && !yield(c) {
				return
			}
		}
	}
}

// field is the first child that is a field; none where there is none.
func (n node) field(name string) node {
	for c := range n.all() {
		if c.role() == name {
			return c
		}
	}
	return node{}
}

// child is the first of some kinds; none where there is none.
func (n node) child(kinds ...string) node {
	for c := range n.all() {
		if c.in(kinds...) {
			return c
		}
	}
	return node{}
}

// source is the text of the node as it stands in the file.
func (n node) source() string {
	if !n.is() {
		return ""
	}
	return string(n.text[n.start():n.end()])
}

// line is where the node begins, from 1.
func (n node) line() int { return n.lineAt(n.start()) }

func (t *tree) lineAt(offset int) int {
	if t.lines == nil {
		t.lines = []int{0}
		for i, b := range t.text {
			if b == '\n' {
				t.lines = append(t.lines, i+1)
			}
		}
	}
	i, found := slices.BinarySearch(t.lines, offset)
	if found {
		return i + 1
	}
	return i
}

// whole is the node with comments and attributes in front of it, as it stands in
// the file: the text of a symbol.
func (n node) whole(before func(node) bool, siblings []node) string {
	start := n.start()
	for i := slices.Index(siblings, n) - 1; i >= 0 && (siblings[i].comment() || before(siblings[i])); i-- {
		start = siblings[i].start()
	}
	return string(n.text[start:n.end()])
}

// spell is the node as text without layout and comments, and without the nodes
// that skip names. Two nodes that mean the same are spelled alike as far as their
// signs tell it.
func (n node) spell(skip func(node) bool) string {
	var b []byte
	n.spellTo(&b, skip)
	return string(b)
}

func (n node) spellTo(b *[]byte, skip func(node) bool) {
	if !n.is() {
		return
	}
	for at := n.at; at < n.next(); {
		c := node{n.tree, at}
		switch {
		case c.comment() || skip != nil && skip(c):
			at = c.next()
		case literal(c.kind()):
			add(b, c.text[c.start():c.end()])
			at = c.next()
		default:
			at++
			if c.next() == at {
				add(b, c.text[c.start():c.end()])
			}
		}
	}
}

// literal reports whether what stands between the signs of such a node belongs to
// it.
func literal(kind string) bool {
	return strings.Contains(kind, "string") || strings.HasPrefix(kind, "char") || kind == "system_lib_string"
}

// add adds a sign to a text, with a blank where one would run into the other.
func add(b *[]byte, sign []byte) {
	sign = bytes.TrimSpace(sign)
	if len(sign) == 0 {
		return
	}
	if sign[0] == '>' || sign[0] == '}' {
		*b = bytes.TrimSuffix(*b, []byte(",")) // one that need not be there
	}
	if was, _ := utf8.DecodeLastRune(*b); len(*b) > 0 {
		is, _ := utf8.DecodeRune(sign)
		last, first := strings.ContainsRune(tight, was), strings.ContainsRune(tight, is)
		if was == ',' || was == ';' || was == ':' && is != ':' && !bytes.HasSuffix(*b, []byte("::")) || !last && !first ||
			strings.ContainsRune("=|+", was) || strings.ContainsRune("=|+", is) && was != '(' ||
			bytes.HasSuffix(*b, []byte("->")) || bytes.HasPrefix(sign, []byte("->")) || (was == ')' || was == '>') && !first {
			*b = append(*b, ' ')
		}
	}
	*b = append(*b, sign...)
}

// tight are the characters that stand beside others without a blank.
const tight = "()[]<>{}.,;:&*!?'~@#^-/%"

// errors are the nodes of what does not parse, as many as that, but for those
// below a node that is left alone.
func (t *tree) errors(most int, alone func(node) bool) (out []node) {
	for n := t.root(); n.at*recordSize < len(t.records) && len(out) < most; {
		switch {
		case alone != nil && alone(n):
			n.at = n.next()
		case n.kind() == "ERROR" || n.missing():
			out = append(out, n)
			n.at = n.next()
		default:
			n.at++
		}
	}
	return out
}
