package ledger

import (
	"cmp"
	"context"
	"strings"
)

// A Symbol is a package-level Go declaration, or a method, that a change added or removed.
type Symbol struct {
	Name string // FOLDER.Name or FOLDER.Type.Method; ".Name" in the root
	Op   Op     // Created or Deleted
	Path string // the file
	Line int    // in the tree that has it
}

// Symbols reads only the changed Go files on both sides and says which symbols were added or removed.
// A symbol that moved between files of one folder is neither.
// Files that do not parse yield what could be read, and are named in broken.
func Symbols(ctx context.Context, changes []Change, before, after Content) (symbols []Symbol, broken []string, err error) {
	return nil, nil, nil
}

func bySymbol(a, b Symbol) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(string(a.Op), string(b.Op)),
		strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
}
