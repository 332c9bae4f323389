//go:build !unix

package file

import (
	"io/fs"
	"syscall"
)

// ErrNotFolder is what the system says of a file where a folder is needed.
const ErrNotFolder = syscall.ENOTDIR

// Links is how many names a file has; 0 if that is not known.
func Links(fs.FileInfo) uint64 { return 0 }

// NoWait makes opening a FIFO return at once; there are none here.
const NoWait = 0

// Inode is the number of a file on its disk; 0 if that is not known, as here.
func Inode(fs.FileInfo) uint64 { return 0 }
