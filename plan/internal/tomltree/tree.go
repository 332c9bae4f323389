// Package tomltree reads a TOML document into a tree in which every value knows
// where it was written. It goes on behind what it refuses, so that one reading
// tells all that is wrong, and answers any text in time and memory in
// proportion to its length.
//
// The parser is go-toml's; this package keeps what it says of places, and adds
// what TOML forbids and a parser of single expressions cannot see: keys and
// tables that stand twice, in all the ways in which a table can be written. A
// fault does not end the reading unless nothing behind it can be trusted.
//
// Trees are made once and read from then on, by any number of goroutines.
package tomltree

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/spelling"
	"github.com/planlock/planlock/plan"
)

// The kinds of nodes, named as in [plan.Value].
const (
	String   = "string"
	Integer  = "integer"
	Float    = "float"
	Boolean  = "boolean"
	Datetime = "datetime"
	Array    = "array"
	Table    = "table"
)

// A Node is one value of a document. Offsets count bytes from the beginning of
// the text, without a byte order mark.
type Node struct {
	Kind string
	Text string // a scalar in canonical spelling
	Raw  string // a number with a fraction, as written
	// Offset is where the value begins; of a table that has a header, the
	// header.
	Offset int
	// At is where whatever names the value begins: its header, else its key; an
	// item of a list begins itself.
	At   int
	List []*Node // of an array
	Keys []Key   // of a table, as written

	origin origin
	index  map[string]int // of the keys, once there are many
}

// A Key is a name in a table, with its value.
type Key struct {
	Name   string
	Offset int // of the name
	Value  *Node
}

// An origin says how a table or array came to be, which decides who may add to
// it.
type origin uint8

const (
	written  origin = iota // a value, an inline table, an array in brackets: closed
	implied                // a part of a longer header
	headed                 // [name], or an element of [[name]]
	dotted                 // a part of a dotted key
	repeated               // the array behind [[name]]
)

// Listed reports whether an array was written as [[name]].
func (n *Node) Listed() bool { return n != nil && n.origin == repeated }

// Find returns the value of a key that is spelled exactly so; a node that is
// nil or no table has none.
func (n *Node) Find(name string) *Node {
	if n == nil {
		return nil
	}
	if i := n.Lookup(name); i >= 0 {
		return n.Keys[i].Value
	}
	return nil
}

// Lookup returns the index of a key that is spelled exactly so, or -1.
func (n *Node) Lookup(name string) int {
	if n.index != nil {
		if i, ok := n.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range n.Keys {
		if n.Keys[i].Name == name {
			return i
		}
	}
	return -1
}

// Size is about the memory that a value and all below it take.
func (n *Node) Size() int {
	total := 16 + len(n.Text)
	for _, item := range n.List {
		total += item.Size()
	}
	for _, k := range n.Keys {
		total += len(k.Name) + k.Value.Size()
	}
	return total
}

const fewKeys = 8 // up to so many keys are searched without an index

// add adds a key. From some number of keys on, an index finds them.
func (n *Node) add(name string, offset int, value *Node) {
	n.Keys = append(n.Keys, Key{name, offset, value})
	last := len(n.Keys) - 1
	switch {
	case n.index != nil:
		n.index[name] = last
	case last >= fewKeys:
		n.index = make(map[string]int, 4*fewKeys)
		for i, k := range n.Keys {
			n.index[k.Name] = i
		}
	}
}

// Value is the node as a setting of a plan holds it: a table is a list of names
// and values, sorted by name.
func (n *Node) Value() plan.Value {
	v := plan.Value{Kind: n.Kind, Text: n.Text}
	switch n.Kind {
	case Array:
		v.List = make([]plan.Value, len(n.List))
		for i, item := range n.List {
			v.List[i] = item.Value()
		}
	case Table:
		v.List = make([]plan.Value, 0, 2*len(n.Keys))
		for _, k := range n.sorted() {
			v.List = append(v.List, plan.Value{Kind: String, Text: k.Name}, k.Value.Value())
		}
	}
	return v
}

// Settings adds the leaves of a value to a list, each under its dotted key,
// which begins with key. A table without keys is a leaf.
func (n *Node) Settings(to []plan.Setting, key string) []plan.Setting {
	if n.Kind != Table || len(n.Keys) == 0 {
		return append(to, plan.Setting{Key: key, Value: n.Value()})
	}
	for _, k := range n.Keys {
		to = k.Value.Settings(to, key+"."+spelling.QuoteKey(k.Name))
	}
	return to
}

// sorted are the keys in the order of their names.
func (n *Node) sorted() []Key {
	keys := slices.Clone(n.Keys)
	slices.SortFunc(keys, func(a, b Key) int { return strings.Compare(a.Name, b.Name) })
	return keys
}
