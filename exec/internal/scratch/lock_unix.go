//go:build unix && !solaris && !aix

package scratch

import (
	"os"
	"syscall"
)

// alone reports whether nobody else has the folder, and keeps others from it as
// long as it is open.
func alone(folder *os.File) bool {
	return syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
