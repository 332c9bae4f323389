package restore

import (
	"os"
	"syscall"
	"unsafe"

	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/internal/disk"
)

// immutable reports whether the entry called name is marked so that not even
// its owner, or root, can change it.
func immutable(dir *disk.Root, name string) bool {
	const (
		getFlags = 0x80086601  // FS_IOC_GETFLAGS
		locked   = 0x10 | 0x20 // immutable, append-only
	)
	info, err := dir.Lstat(name)
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return false
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|file.NoWait, 0)
	if err != nil {
		return false
	}
	defer f.Close() // only read
	var flags uintptr
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.OS().Fd(), getFlags, uintptr(unsafe.Pointer(&flags)))
	return errno == 0 && flags&locked != 0
}
