package ledger

import (
	"slices"
	"sort"
	"strings"
)

// Names are those of the entries of one folder, one behind the other in one
// text: a string for each would take more than the entries themselves. They
// never change; see [Namer].
type Names struct {
	text string
	ends []uint32 // of each name in the text
}

// Len is the number of names.
func (n Names) Len() int { return len(n.ends) }

// At is the name number i. It shares the memory of all.
func (n Names) At(i int) string {
	begin := uint32(0)
	if i > 0 {
		begin = n.ends[i-1]
	}
	return n.text[begin:n.ends[i]]
}

// Equal reports whether two lists hold the same names.
func (n Names) Equal(other Names) bool {
	return n.text == other.text && slices.Equal(n.ends, other.ends)
}

// find is where a name is among sorted ones, or would be.
func (n Names) find(name string) (int, bool) {
	i := sort.Search(n.Len(), func(i int) bool { return n.At(i) >= name })
	return i, i < n.Len() && n.At(i) == name
}

// A Namer collects names. The zero value is ready.
type Namer struct {
	text []byte
	ends []uint32
}

// Add appends a copy of a name.
func (n *Namer) Add(name []byte) {
	n.text = append(n.text, name...)
	n.ends = append(n.ends, uint32(len(n.text)))
}

// Names are all that were added since the last call. They share no memory with
// the Namer, which is empty then.
func (n *Namer) Names() Names {
	var names Names
	if len(n.ends) > 0 {
		names = Names{string(n.text), append(make([]uint32, 0, len(n.ends)), n.ends...)}
	}
	n.text, n.ends = n.text[:0], n.ends[:0]
	return names
}

// childOf is the path of what has a name in the folder dir, "" for the root.
func childOf(dir, name string) string {
	if dir == "" {
		return strings.Clone(name)
	}
	return dir + "/" + name
}
