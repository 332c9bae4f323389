//go:build unix

package file

import (
	"io/fs"
	"syscall"
)

// ErrNotFolder is what the system says of a file where a folder is needed.
const ErrNotFolder = syscall.ENOTDIR

// Links is how many names a file has; 0 if that is not known.
func Links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 0
}

// NoWait makes opening a FIFO return at once.
const NoWait = syscall.O_NONBLOCK

// Inode is the number of a file on its disk; 0 if that is not known.
func Inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino)
	}
	return 0
}
