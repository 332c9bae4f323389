package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// boot is made anew by the kernel each time it starts.
func boot() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

func syncData(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); err != syscall.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}

// makeFIFO makes a FIFO at name, which is below root.
func makeFIFO(root *os.Root, name string, perm fs.FileMode) error {
	dir, err := root.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	err = syscall.Mknodat(int(dir.Fd()), filepath.Base(name), syscall.S_IFIFO|uint32(perm.Perm()), 0)
	if err != nil {
		err = &fs.PathError{Op: "mkfifo", Path: name, Err: err}
	}
	return errors.Join(err, dir.Close())
}

const (
	noFollow = 0x100     // AT_SYMLINK_NOFOLLOW
	omit     = 1<<30 - 2 // UTIME_OMIT
)

// setLinkTime sets the time of modification of a link itself.
func setLinkTime(root *os.Root, name string, t time.Time) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	text, err := syscall.BytePtrFromString(name)
	if err != nil {
		return errors.Join(err, dir.Close())
	}
	times := [2]syscall.Timespec{{Nsec: omit}, syscall.NsecToTimespec(t.UnixNano())}
	_, _, errno := syscall.Syscall6(syscall.SYS_UTIMENSAT, dir.Fd(), uintptr(unsafe.Pointer(text)),
		uintptr(unsafe.Pointer(&times)), noFollow, 0, 0)
	if errno != 0 {
		err = os.NewSyscallError("utimensat", errno)
	}
	return errors.Join(err, dir.Close())
}

// setFileTime is futimens.
func setFileTime(f *os.File, t time.Time) error {
	times := [2]syscall.Timespec{{Nsec: omit}, syscall.NsecToTimespec(t.UnixNano())}
	_, _, errno := syscall.Syscall6(syscall.SYS_UTIMENSAT, f.Fd(), 0, uintptr(unsafe.Pointer(&times)), 0, 0, 0)
	if errno != 0 {
		return os.NewSyscallError("utimensat", errno)
	}
	return nil
}
