package scan

import (
	"errors"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// ErrChanging is in the chain of the error of a scan that could not read a file
// or folder at rest.
var ErrChanging = errors.New("scan: changes while it is read")

// Scanner reads a folder. The zero value reads everything with two workers. It
// may be used by several goroutines at once.
type Scanner struct {
	Scope   ledger.Scope
	Workers int   // 0: two
	MaxFile int64 // bytes of the largest file that is read; 0: MaxFile. A larger one is an error that names it.

	// Tolerant scans list what cannot be read, instead of failing: a file that
	// is too large, has no permission or never comes to rest, and a folder like
	// that with all it holds, is one Special entry, and Tree.Unread names it.
	// So it can be removed by whoever restores an earlier tree. It does not say
	// what stands there, so nothing should be judged by such a tree. The folder
	// that is scanned must be readable.
	Tolerant bool

	// Like is a tree of which a first scan takes the entries of folders that are
	// the same in both, for less memory: of a copy of what Like was scanned from,
	// nearly all. The scan reads as much as without it.
	Like *ledger.Tree

	open func(dir string) (folder, error) // nil: the fastest way on this system
}

// MaxFile is how many bytes the largest file has that is read where nobody says
// otherwise: 64 GiB.
const MaxFile = 64 << 30

const defaultWorkers = 2

// complete is a copy of s that shares nothing with it, with the value of
// MaxFile that holds.
func (s *Scanner) complete() Scanner {
	c := *s
	c.Scope = s.Scope.Clone()
	if c.MaxFile <= 0 {
		c.MaxFile = MaxFile
	}
	return c
}

// splitPath cuts a path into its folder ("" for the root) and its last name.
func splitPath(path string) (dir, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(0, i)], path[i+1:]
}
