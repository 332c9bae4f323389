//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package file

import (
	"os"
	"syscall"
)

// Lock locks f without waiting; held reports that somebody else has it.
func Lock(f *os.File) (held bool, err error) { return flock(f, syscall.LOCK_EX) }

// Share locks f without waiting, beside others that share it; held reports that
// somebody has it alone.
func Share(f *os.File) (held bool, err error) { return flock(f, syscall.LOCK_SH) }

// flock takes a lock, or gives it back, and never waits: held says that
// somebody else has it.
func flock(f *os.File, how int) (held bool, err error) {
	for {
		switch err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); err {
		case nil:
			return false, nil
		case syscall.EWOULDBLOCK:
			return true, nil
		case syscall.EINTR:
		default:
			return false, os.NewSyscallError("flock", err)
		}
	}
}

// Unlock gives the lock back, also where a child that is just being started
// still has the file open.
func Unlock(f *os.File) error {
	return os.NewSyscallError("flock", syscall.Flock(int(f.Fd()), syscall.LOCK_UN))
}
