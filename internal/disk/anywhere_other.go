//go:build !windows

package disk

import (
	"io/fs"
	"os"
)

func openFile(name string, flags int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flags, perm)
}

func remove(name string) error { return os.Remove(name) }

func rename(name, to string) error { return os.Rename(name, to) }
