package layer

import (
	"io/fs"
	"syscall"
)

// makeSocket makes a socket that nobody listens to.
func makeSocket(path string, mode fs.FileMode) error {
	return syscall.Mknod(path, syscall.S_IFSOCK|uint32(mode.Perm()), 0)
}
