//go:build !windows

package hold

import (
	"errors"
	"os"
	"syscall"
)

// ended reports whether no process has the number.
func ended(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return true
	}
	defer p.Release()
	err = p.Signal(syscall.Signal(0)) // asks only whether it is there
	return errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH)
}
