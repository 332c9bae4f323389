package powercut

import (
	"io/fs"
	"slices"
	"time"

	"github.com/planlock/planlock/internal/disk"
)

// An identity is what tells files apart while they exist.
type identity struct{ device, number uint64 }

// A step is an operation that was noted.
type step struct {
	kind     disk.Kind
	node     int    // what it is about
	other    int    // what it was exchanged with
	dir, to  int    // folders that hold its name
	name, as string // in them
	data     []byte
	offset   int64
	lead     []byte // what its first sector held before data
	trail    []byte // what its last sector held behind data
	size     int64
	mode     fs.FileMode
	time     time.Time // of modification, afterwards
	target   string
	failed   bool // a sync
	path     string
}

// isSync reports whether an operation makes others durable.
func isSync(k disk.Kind) bool {
	return k == disk.Sync || k == disk.SyncData || k == disk.SyncFolder || k == disk.SyncAll
}

// folders are those that hold the names that a step changes.
func (s step) folders() []int {
	switch s.kind {
	case disk.Create, disk.Mkdir, disk.Symlink, disk.Remove:
		return []int{s.dir}
	case disk.Link:
		return []int{s.to}
	case disk.Rename, disk.RenameNew, disk.Exchange:
		if s.dir != s.to {
			return []int{s.dir, s.to}
		}
		return []int{s.to}
	}
	return nil
}

// touchedBy reports whether sync makes s durable, or part of it.
func (s step) touchedBy(sync step, wants []int) bool {
	if sync.kind == disk.SyncAll {
		return true
	}
	switch s.kind {
	case disk.Write, disk.Truncate:
		return s.node == sync.node
	case disk.Chmod, disk.Chtimes:
		return s.node == sync.node && sync.kind != disk.SyncData
	}
	return slices.Contains(wants, sync.node)
}
