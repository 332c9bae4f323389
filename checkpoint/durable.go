package checkpoint

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A dataFile is a file whose Sync makes contents durable, and of its metadata
// only what is needed to read them.
type dataFile struct{ *os.File }

func (f dataFile) Sync() error { return syncData(f.File) }

// makeFolder makes dir and the folders above it, durably.
func makeFolder(dir string) error {
	dir = filepath.Clean(dir)
	switch info, err := os.Stat(dir); {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return &fs.PathError{Op: "mkdir", Path: dir, Err: errNotFolder}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := makeFolder(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(parent)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
