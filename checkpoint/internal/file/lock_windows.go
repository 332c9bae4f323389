package file

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

var (
	kernel32   = syscall.NewLazyDLL("kernel32.dll")
	lockFileEx = kernel32.NewProc("LockFileEx")
	unlockEx   = kernel32.NewProc("UnlockFileEx")
)

const (
	exclusiveNow  = 2 | 1 // LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY
	sharedNow     = 1     // LOCKFILE_FAIL_IMMEDIATELY
	lockViolation = syscall.Errno(33)
	farOffset     = 0x40000000 // high word: the locked byte lies far behind the text, which stays readable
)

// Lock locks f without waiting; held reports that somebody else has it.
func Lock(f *os.File) (held bool, err error) { return lockNow(f, exclusiveNow) }

// Share locks f without waiting, beside others that share it; held reports that
// somebody has it alone.
func Share(f *os.File) (held bool, err error) { return lockNow(f, sharedNow) }

// lockNow takes a lock and never waits: held says that somebody else has it.
func lockNow(f *os.File, how uintptr) (held bool, err error) {
	at := syscall.Overlapped{OffsetHigh: farOffset}
	ok, _, err := lockFileEx.Call(f.Fd(), how, 0, 1, 0, uintptr(unsafe.Pointer(&at)))
	switch {
	case ok != 0:
		return false, nil
	case errors.Is(err, lockViolation):
		return true, nil
	}
	return false, os.NewSyscallError("LockFileEx", err)
}

// Unlock gives the lock back.
func Unlock(f *os.File) error {
	at := syscall.Overlapped{OffsetHigh: farOffset}
	if ok, _, err := unlockEx.Call(f.Fd(), 0, 1, 0, uintptr(unsafe.Pointer(&at))); ok == 0 {
		return os.NewSyscallError("UnlockFileEx", err)
	}
	return nil
}
