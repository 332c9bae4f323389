package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrReplaced says that a file that must stay while it is open, a log, a pack or
// the lock of a workspace, was removed, replaced or cut by somebody.
var ErrReplaced = errors.New("checkpoint: removed, replaced or cut while it was in use")

// A stay is a file that is open, and the name it must keep.
type stay struct {
	path string // absolute
	file fs.FileInfo
}

// stayOf remembers that f is what stands at path.
func stayOf(f *os.File, path string) (stay, error) {
	info, err := f.Stat()
	if err != nil {
		return stay{}, err
	}
	whole, err := filepath.Abs(path)
	return stay{whole, info}, err
}

// check returns ErrReplaced unless the file still stands there, with at least
// size bytes. It costs one call of the system.
func (s stay) check(size int64) error {
	now, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %q is not there any more", ErrReplaced, s.path)
	case err != nil:
		return fmt.Errorf("%w: %q cannot be reached any more: %w", ErrReplaced, s.path, err)
	case !os.SameFile(s.file, now):
		return fmt.Errorf("%w: another file stands at %q", ErrReplaced, s.path)
	case now.Size() < size:
		return fmt.Errorf("%w: %q has %d bytes, and had %d", ErrReplaced, s.path, now.Size(), size)
	}
	return nil
}
