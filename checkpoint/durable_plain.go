//go:build !unix

package checkpoint

import (
	"io/fs"
	"syscall"
)

const errNotFolder = syscall.ENOTDIR

// links is how many names a file has; 0 if that is not known.
func links(fs.FileInfo) uint64 { return 0 }

// noWait makes opening a FIFO return at once; there are none here.
const noWait = 0

// inode is the number of a file on its disk; 0 if that is not known, as here.
func inode(fs.FileInfo) uint64 { return 0 }
