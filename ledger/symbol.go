package ledger

import (
	"cmp"
	"strings"
)

// A Symbol is a declaration of a source file (a constant, variable, type,
// function or method) that a change added or removed.
type Symbol struct {
	Name string // FOLDER.Name or FOLDER.Type.Method; ".Name" in the root
	Op   Op     // Created or Deleted
	Path string // the file
	Line int    // in the tree that has it
	// Public says that others can use it, as far as the file tells: whoever
	// reads its language knows.
	Public bool
}

// Compare orders symbols by name, then by what happened to them, by path and by
// line.
func (s Symbol) Compare(o Symbol) int {
	return cmp.Or(strings.Compare(s.Name, o.Name), strings.Compare(string(s.Op), string(o.Op)),
		strings.Compare(s.Path, o.Path), cmp.Compare(s.Line, o.Line))
}
