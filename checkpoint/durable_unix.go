//go:build unix

package checkpoint

import (
	"io/fs"
	"syscall"
)

const errNotFolder = syscall.ENOTDIR

// links is how many names a file has; 0 if that is not known.
func links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 0
}

// noWait makes opening a FIFO return at once.
const noWait = syscall.O_NONBLOCK

// inode is the number of a file on its disk; 0 if that is not known.
func inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino)
	}
	return 0
}
