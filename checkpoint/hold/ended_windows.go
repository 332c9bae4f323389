package hold

import (
	"errors"
	"syscall"
)

const noSuchProcess = syscall.Errno(87) // ERROR_INVALID_PARAMETER

// ended reports whether no process has the number, or one that has ended and
// that somebody still asks about.
func ended(pid int) bool {
	p, err := syscall.OpenProcess(syscall.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return errors.Is(err, noSuchProcess)
	}
	defer syscall.CloseHandle(p)
	event, err := syscall.WaitForSingleObject(p, 0)
	return err == nil && event == syscall.WAIT_OBJECT_0
}
