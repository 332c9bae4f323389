//go:build unix

package disk

import (
	"errors"
	"os"
)

func syncFolder(root *os.Root, name string) error {
	var f *os.File
	var err error
	if root == nil {
		f, err = os.Open(name)
	} else {
		f, err = root.Open(name)
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
