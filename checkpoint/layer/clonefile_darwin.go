package layer

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"unsafe"
)

// cloneFile makes a file that shares its content with in, where the file system
// (APFS) does that, and reports whether it did. The mode and the attributes are
// those of in, the owner is whoever calls.
func cloneFile(in *os.File, to *os.Root, name string) bool {
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
	_, _, errno := syscall.Syscall6(fclonefileat, in.Fd(), folder.Fd(), uintptr(unsafe.Pointer(base)), noOwnerCopy, 0, 0)
	runtime.KeepAlive(in)
	return errno == 0
}
