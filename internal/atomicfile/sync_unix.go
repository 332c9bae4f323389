//go:build unix

package atomicfile

import (
	"errors"
	"os"
)

// syncFolder makes the names in a folder durable.
func syncFolder(root *os.Root, dir string) error {
	f, err := root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
