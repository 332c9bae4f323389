package layer

import (
	"path/filepath"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/planlock/planlock/internal/disk"
)

// cloneFile makes a file that shares its content with in, where the file system
// (APFS) does that, and reports whether it did. The mode and the attributes are
// those of in, the owner is whoever calls.
func cloneFile(in *disk.File, to *disk.Root, name string) bool {
	if !in.Plain() {
		return false
	}
	const (
		fclonefileat = 517
		noOwnerCopy  = 2
	)
	base, err := syscall.BytePtrFromString(filepath.Base(name))
	if err != nil {
		return false
	}
	folder, err := to.Open(filepath.Dir(name))
	if err != nil {
		return false
	}
	defer folder.Close()
	_, _, errno := syscall.Syscall6(fclonefileat, in.OS().Fd(), folder.OS().Fd(), uintptr(unsafe.Pointer(base)),
		noOwnerCopy, 0, 0)
	runtime.KeepAlive(in)
	return errno == 0
}
