package file

import (
	"errors"
	"io/fs"

	"github.com/planlock/planlock/internal/disk"
)

// Data is a file whose Sync makes contents durable, and of its metadata only
// what is needed to read them: times are not, and cost a write of their own.
type Data struct{ *disk.File }

// Sync makes durable what was written.
func (f Data) Sync() error { return f.SyncData() }

// RemoveIfThere removes a file, which may be gone.
func RemoveIfThere(root *disk.Root, name string) error {
	if err := root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
