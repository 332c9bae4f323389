package content

import (
	"os"
	"syscall"
	"unsafe"
)

// shareRange makes to share n bytes with from; n of 0 is all that follows.
func shareRange(to *os.File, at int64, from *os.File, offset, n int64) error {
	const clone = 0x4020940d // FICLONERANGE
	arg := struct {
		from      int64
		offset, n uint64
		at        uint64
	}{int64(from.Fd()), uint64(offset), uint64(n), uint64(at)}
	for {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, to.Fd(), clone, uintptr(unsafe.Pointer(&arg)))
		switch errno {
		case 0:
			return nil
		case syscall.EINTR:
		default:
			return os.NewSyscallError("ficlonerange", errno)
		}
	}
}
