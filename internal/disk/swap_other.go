//go:build !linux && !darwin

package disk

import (
	"errors"
	"os"
	"syscall"
)

// renameFlag cannot be done: there is no portable way.
func renameFlag(*os.File, string, *os.File, string, bool) error { return errors.ErrUnsupported }

// removeFolder looks first, since there is no portable way to remove nothing
// but a folder.
func removeFolder(root *os.Root, _ *os.File, name string) error {
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return syscall.ENOTDIR
	}
	return root.Remove(name)
}

// syncAll cannot be done: there is no portable way.
func syncAll(*os.File) error { return errors.ErrUnsupported }
