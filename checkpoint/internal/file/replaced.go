package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrReplaced says that a file that must stay while it is open, a log, a pack
// or the lock of a workspace, was removed, replaced or cut by somebody.
var ErrReplaced = errors.New("checkpoint: removed, replaced or cut while it was in use")

// A Stay is a file that is open, and the name it must keep.
type Stay struct {
	path string   // absolute, since the working folder of the process may change
	open *os.File // owned by whoever opened it
	file glimpse  // which file it was when it was opened
}

// StayOf remembers that f is what stands at path.
func StayOf(f *os.File, path string) (Stay, error) {
	file, err := glimpseOf(f)
	if err != nil {
		return Stay{}, err
	}
	whole, err := filepath.Abs(path)
	return Stay{whole, f, file}, err
}

// Check returns ErrReplaced unless the file still stands there, with at least
// size bytes. It costs one call of the system.
func (s Stay) Check(size int64) error {
	now, err := glimpseAt(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %q is not there any more", ErrReplaced, s.path)
	case err != nil:
		return fmt.Errorf("%w: %q cannot be reached any more: %w", ErrReplaced, s.path, err)
	case !now.same(s.file):
		return fmt.Errorf("%w: another file stands at %q", ErrReplaced, s.path)
	}
	return s.enough(now.size, size)
}

// Uncut is Check for less: it sees whether the open file was cut, and not what
// became of its name. It moves the place where a plain Read or Write of the
// file goes on.
func (s Stay) Uncut(size int64) error {
	now, err := s.open.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	return s.enough(now, size)
}

func (s Stay) enough(now, size int64) error {
	if now < size {
		return fmt.Errorf("%w: %q has %d bytes, and had %d", ErrReplaced, s.path, now, size)
	}
	return nil
}
