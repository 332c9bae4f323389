//go:build !unix

package checkpoint

import (
	"io/fs"
	"syscall"
)

const errNotFolder = syscall.ENOTDIR

// syncFolder does nothing: a folder cannot be synced here, the file system
// keeps names in order by itself.
func syncFolder(string) error { return nil }

// links is how many names a file has; 0 if that is not known.
func links(fs.FileInfo) uint64 { return 0 }

// noWait makes opening a FIFO return at once; there are none here.
const noWait = 0
