//go:build unix

package artifacts

import (
	"io/fs"
	"syscall"
)

// namesOf is how many names a file has, 0 if that is not known.
func namesOf(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 0
}
