package checkpoint

import (
	"errors"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// setLinkTime sets the time of modification of a link itself.
func setLinkTime(dir *os.Root, name string, t time.Time) error {
	const (
		noFollow = 0x100     // AT_SYMLINK_NOFOLLOW
		omit     = 1<<30 - 2 // UTIME_OMIT
	)
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	text, err := syscall.BytePtrFromString(name)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	times := [2]syscall.Timespec{{Nsec: omit}, syscall.NsecToTimespec(t.UnixNano())}
	_, _, errno := syscall.Syscall6(syscall.SYS_UTIMENSAT, f.Fd(), uintptr(unsafe.Pointer(text)), uintptr(unsafe.Pointer(&times)), noFollow, 0, 0)
	if errno != 0 {
		err = os.NewSyscallError("utimensat", errno)
	}
	return errors.Join(err, f.Close())
}
