package checkpoint

import (
	"errors"
	"io/fs"

	"github.com/planlock/planlock/internal/disk"
)

// A dataFile is a file whose Sync makes contents durable, and of its metadata
// only what is needed to read them.
type dataFile struct{ *disk.File }

func (f dataFile) Sync() error { return f.SyncData() }

// removeIfThere removes a file, which may be gone.
func removeIfThere(root *disk.Root, name string) error {
	if err := root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
