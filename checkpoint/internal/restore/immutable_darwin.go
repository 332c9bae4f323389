package restore

import (
	"syscall"

	"github.com/planlock/planlock/internal/disk"
)

// immutable reports whether the entry called name is marked so that not even
// its owner, or root, can change it.
func immutable(dir *disk.Root, name string) bool {
	const locked = 0x2 | 0x4 | 0x20000 | 0x40000 // immutable and append-only, of the user and of the system
	info, err := dir.Lstat(name)
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Flags&locked != 0
}
