package scan

import (
	"bytes"
	"hash"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// A folder is one that is open. Names are single names in it. It follows no
// links, and nothing reaches out of it, whatever is moved or swapped meanwhile.
// It may be used by several readers at once.
//
// There are two: one for every system, on os.Root, and one of bare system calls
// on Linux.
type folder interface {
	// status is that of the folder itself.
	status() (status, error)
	// stat is the status of what stands at name.
	stat(b *buffers, name string) (status, error)
	// list appends all names to b.
	list(b *buffers) error
	// enter opens the folder at name.
	enter(b *buffers, name string) (folder, error)
	// file opens the regular file at name for reading.
	file(b *buffers, name string) (openFile, error)
	// target is where the link at name leads.
	target(b *buffers, name string) (string, error)
	close()
}

// A reacher opens a folder further down at once.
type reacher interface {
	reach(b *buffers, path string) (folder, error)
}

// An openFile is a regular file that is being read.
type openFile interface {
	status() (status, error)
	// read fills p, or as much of it as there is, and returns 0 at the end of
	// the file.
	read(p []byte) (int, error)
	close()
}

// descend opens the folder at path below root.
func descend(b *buffers, root folder, path string) (folder, error) {
	if r, ok := root.(reacher); ok {
		return r.reach(b, path)
	}
	at := root
	for path != "" {
		var name string
		name, path, _ = strings.Cut(path, "/")
		next, err := at.enter(b, name)
		if at != root {
			at.close()
		}
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// A listed name is one of a folder that is being read, with what the listing
// says of its kind.
type listed struct {
	at, end int // of its bytes in the buffers' arena
	kind    ledger.Kind
}

// unclear is a kind that a listing does not tell.
const unclear ledger.Kind = ""

// contentSize is the size of the buffer of each reader.
const contentSize = 128 << 10 // files below are read at once

// Buffers belong to one reader. A later scan may use them again.
type buffers struct {
	content []byte // of a file; contentSize bytes
	raw     []byte // of a listing
	path    []byte // with a zero at its end
	arena   []byte // the bytes of names
	names   []listed
	hash    hash.Hash
}

// add notes a name of a listing.
func (b *buffers) add(name []byte, kind ledger.Kind) {
	at := len(b.arena)
	b.arena = append(b.arena, name...)
	b.names = append(b.names, listed{at, len(b.arena), kind})
}

// name is a noted name, good until the next listing.
func (b *buffers) name(l listed) []byte { return b.arena[l.at:l.end] }

// sort sorts the names by their bytes, each once.
func (b *buffers) sort() {
	slices.SortFunc(b.names, func(x, y listed) int { return bytes.Compare(b.name(x), b.name(y)) })
	b.names = slices.CompactFunc(b.names, func(x, y listed) bool { return bytes.Equal(b.name(x), b.name(y)) })
}
