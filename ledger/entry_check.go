package ledger

import (
	"errors"
	"fmt"
	"strings"
)

// errEntry is in the chain of the errors of NewTree.
var errEntry = errors.New("ledger: not an entry of a tree")

// checkEntries looks at sorted entries and reports all that no folder could
// hold.
func checkEntries(entries []Entry) error {
	var errs []error
	fail := func(e Entry, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: %q %s", errEntry, e.Path, fmt.Sprintf(format, args...)))
	}
	var stack ancestry
	for i, e := range entries {
		if why := checkPath(e.Path); why != "" {
			fail(e, "%s", why)
			continue
		}
		if i > 0 && entries[i-1].Path == e.Path {
			fail(e, "is listed twice")
			continue
		}
		if why := e.misfit(); why != "" {
			fail(e, "%s", why)
		}
		dir, _ := splitPath(e.Path)
		if parent := stack.parent(entries, e.Path); dir != "" && (parent < 0 || entries[parent].Path != dir) {
			fail(e, "lies in %q, which is not listed as a folder", dir)
		}
		if e.Kind == Dir {
			stack.push(i)
		}
	}
	return errors.Join(errs...)
}

// An ancestry finds the folder of each entry in one pass over sorted entries.
//
// It holds the folders whose contents may still come. In byte order these close
// in the reverse order of their opening: of "a" and "a-b", both open, what is
// below "a-b" comes before what is below "a".
type ancestry []int

func (s *ancestry) push(i int) { *s = append(*s, i) }

// parent is the innermost open folder that holds path, or -1.
func (s *ancestry) parent(entries []Entry, path string) int {
	for len(*s) > 0 {
		top := (*s)[len(*s)-1]
		switch dir := entries[top].Path; {
		case strings.HasPrefix(path, dir) && len(path) > len(dir) && path[len(dir)] == '/':
			return top
		case !passed(dir, path):
			return s.below(entries, path)
		}
		*s = (*s)[:len(*s)-1]
	}
	return -1
}

// below looks under the top for the folder of a path that the top, still open,
// does not hold.
func (s *ancestry) below(entries []Entry, path string) int {
	dir, _ := splitPath(path)
	for i := len(*s) - 2; i >= 0; i-- {
		if entries[(*s)[i]].Path == dir {
			return (*s)[i]
		}
	}
	return -1
}
