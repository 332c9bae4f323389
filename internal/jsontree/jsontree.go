// Package jsontree reads JSON into a tree that remembers where every value was
// written, for readers that must name the line and column of what is wrong.
//
// The whole tree is one slice, so that memory is a small multiple of the text
// whatever it nests. Text that is not JSON gives an *Error with its place. It
// accepts what RFC 8259 accepts, up to a depth of nesting.
//
//	v, err := jsontree.ParseAll(text)
//	for task := range v.Get("tasks").Each {
//		title := task.Get("title")
//		if title.Kind() != jsontree.String {
//			report(title.Offset(), "a title is a text, and this is "+title.Kind().String())
//		}
//	}
//
// A value that is not there is the zero [Value], of which everything can be
// asked: so readers go down several levels and look once, at the end, whether
// they arrived.
package jsontree

import (
	"encoding/json"
	"fmt"
	"strings"
)

// MaxDepth is how deep values may be nested.
const MaxDepth = 200

// Kind of a value.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String is the kind in words, with its article.
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a text", "a list", "an object"}[k]
}

// An Error says why a text is not JSON, and at which byte.
type Error struct {
	Offset int
	Reason string
}

// Error says where and why; readers that know lines and columns say it better.
func (e *Error) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.Reason) }

// A Tree is a JSON text that was read.
type Tree struct {
	src   string
	nodes []node
}

// A node is a value. The values in a list or an object are chained, the first
// by its parent and each next one by the one before.
type node struct {
	key         int32 // offset of the member's name, -1 without
	start, end  int32
	first, next int32 // 0: none, as node 0 is never a child
	kind        Kind
}

// A Value is a place in a tree. The zero Value is no value.
type Value struct {
	t *Tree
	i int32
}

// OK reports whether there is a value.
func (v Value) OK() bool { return v.t != nil }

// Kind of the value; Null where there is none.
func (v Value) Kind() Kind {
	if v.t == nil {
		return Null
	}
	return v.n().kind
}

// Offset is where the value begins.
func (v Value) Offset() int {
	if v.t == nil {
		return 0
	}
	return int(v.n().start)
}

// KeyOffset is where the name of a member begins; for other values, where the
// value begins.
func (v Value) KeyOffset() int {
	if v.t == nil || v.n().key < 0 {
		return v.Offset()
	}
	return int(v.n().key)
}

// Raw is the value as it was written.
func (v Value) Raw() string {
	if v.t == nil {
		return ""
	}
	return v.t.src[v.n().start:v.n().end]
}

// Key is the name of a member.
func (v Value) Key() string {
	if v.t == nil || v.n().key < 0 {
		return ""
	}
	return unquote(v.t.src[v.n().key:])
}

// Text is a text's content, or another scalar as it was written; "" for null,
// lists and objects.
func (v Value) Text() string {
	switch v.Kind() {
	case String:
		return unquote(v.t.src[v.n().start:])
	case Number, Bool:
		return v.Raw()
	}
	return ""
}

// Get finds a member of an object; the last, where the name stands twice.
func (v Value) Get(name string) Value {
	var found Value
	if v.Kind() != Object {
		return found
	}
	for c := range v.Each {
		if c.Key() == name {
			found = c
		}
	}
	return found
}

// Each goes over the items of a list or the members of an object, in order.
func (v Value) Each(yield func(Value) bool) {
	if v.t == nil {
		return
	}
	for i := v.n().first; i != 0; i = v.t.nodes[i].next {
		if !yield(Value{v.t, i}) {
			return
		}
	}
}

// Len counts the items or members.
func (v Value) Len() int {
	n := 0
	for range v.Each {
		n++
	}
	return n
}

func (v Value) n() *node { return &v.t.nodes[v.i] }

// unquote decodes the text that begins at s[0] == '"', which the parser has
// accepted. Most texts hold no escapes, and are a part of s then.
func unquote(s string) string {
	end := 1
	for ; s[end] != '"'; end++ {
		if s[end] == '\\' {
			end++
		}
	}
	text := s[1:end]
	if strings.IndexByte(text, '\\') >= 0 {
		_ = json.Unmarshal([]byte(s[:end+1]), &text) // it is what the parser accepts
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
