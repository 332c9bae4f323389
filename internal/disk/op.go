package disk

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A Kind says what an operation does.
type Kind string

// The kinds of operations. Those from Create on change something.
const (
	Open    Kind = "open" // of what is there, a folder too
	Stat    Kind = "stat"
	Read    Kind = "read"
	ReadDir Kind = "readdir"
	Close   Kind = "close"

	Create     Kind = "create"
	Write      Kind = "write"
	Truncate   Kind = "truncate"
	Mkdir      Kind = "mkdir"
	Symlink    Kind = "symlink"
	Link       Kind = "link"
	Rename     Kind = "rename"
	RenameNew  Kind = "renamenew" // which replaces nothing
	Exchange   Kind = "exchange"  // of what stands at two paths
	Remove     Kind = "remove"
	Chmod      Kind = "chmod"
	Chtimes    Kind = "chtimes"
	Sync       Kind = "sync"     // contents and all about the file
	SyncData   Kind = "syncdata" // contents and length
	SyncFolder Kind = "syncfolder"
	SyncAll    Kind = "syncall" // of all that lies on the file system
)

// An Op is one operation, for a Layer.
type Op struct {
	Kind   Kind
	Path   string      // absolute, as it was asked for: links in it are not resolved
	To     string      // the new path of Rename, RenameNew and Link, the other one of Exchange; the target of Symlink
	File   *os.File    // the open file, of operations that have one
	Data   []byte      // of Write; a Layer may shorten it before it calls run
	N      int         // how much of Data was written
	Offset int64       // of Write
	Size   int64       // of Truncate
	Mode   fs.FileMode // of Create, Mkdir and Chmod
	Time   time.Time   // of Chtimes
	Flags  int         // of Open and Create
}

// Changes reports whether the operation, if it succeeds, may change what is on
// the disk.
func (op *Op) Changes() bool {
	switch op.Kind {
	case Open, Stat, Read, ReadDir, Close:
		return false
	}
	return true
}

// There is what stands at Path, links in it resolved and the last name not.
func (op *Op) There() (fs.FileInfo, error) {
	if op.File != nil {
		return op.File.Stat()
	}
	return os.Lstat(op.Path)
}

// Folder is the folder that holds Path; with to, the one that holds To.
func (op *Op) Folder(to bool) (fs.FileInfo, error) {
	path := op.Path
	if to {
		path = op.To
	}
	return os.Stat(filepath.Dir(path))
}
