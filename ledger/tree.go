package ledger

import (
	"context"
	"io"
	"io/fs"
	"iter"
	"time"
)

// Kind says what stands at a path.
type Kind string

const (
	File    Kind = "file"
	Link    Kind = "link"
	Dir     Kind = "dir"     // every folder below the root, empty ones too
	Special Kind = "special" // FIFO, socket, device: named, never opened
)

// An Entry is one path of a tree. Everything but ModTime belongs to the
// identity of the tree.
type Entry struct {
	Path    string      // slash-separated, relative to the root, never "."; any bytes the file system allows
	Kind    Kind        //
	Mode    fs.FileMode // permission, setuid, setgid and sticky bits; 0 for links
	Size    int64       // bytes of a file's content; 0 for all else
	Digest  Digest      // of a file's content; zero for all else
	Target  string      // of a link, as written
	ModTime time.Time   // restored with the entry, but not part of its identity
}

// Same reports whether two entries are the same in everything that belongs to
// a tree's identity.
func (e Entry) Same(o Entry) bool {
	e.ModTime, o.ModTime = time.Time{}, time.Time{}
	return e == o
}

// A Tree is an immutable manifest of a folder. It is safe for concurrent use.
type Tree struct {
	// private: sorted entries, digest, what a later scan may trust
}

// Empty is the tree of an empty folder.
func Empty() *Tree { return &Tree{} }

// NewTree makes a tree of entries, in any order; it refuses paths that are
// doubled, absolute, or lead outside.
func NewTree(entries []Entry) (*Tree, error) { return nil, nil }

// Digest is the identity of the tree.
func (t *Tree) Digest() Digest { return "" }

// Len is the number of entries.
func (t *Tree) Len() int { return 0 }

// Lookup finds the entry of a path.
func (t *Tree) Lookup(path string) (Entry, bool) { return Entry{}, false }

// All yields the entries sorted by path.
func (t *Tree) All() iter.Seq[Entry] { return nil }

// Scope says which paths of a folder are accounted. It is part of the
// contract. The controller's own folder .planlock and .git are never part of a tree.
type Scope struct {
	Ignore []string // globs: not looked at
	Track  []string // globs: watched (changes are seen), but not restored
	Own    []string // exact paths of the controller's own files in the tree (plan, lock, views): never part of the tree
}

// Scanner reads a folder. The zero value reads everything with two workers.
type Scanner struct {
	Scope   Scope
	Workers int
}

// Scan reads the folder dir. Where prior is a tree that this process scanned
// from the same folder before, contents whose stamps did not move are not read again
// (save where the stamps are too young to be trusted).
func (s *Scanner) Scan(ctx context.Context, dir string, prior *Tree) (*Tree, error) { return nil, nil }

// Content opens the content of a file of some tree; the caller closes it.
// It is how functions that compare two trees reach what only a store still holds.
type Content func(ctx context.Context, e Entry) (io.ReadCloser, error)
