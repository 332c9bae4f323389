package checkpoint

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

// A stay is a file that is open, and the name it must keep.
type stay struct {
	path string // absolute
	open *os.File
	file glimpse
}

// stayOf remembers that f is what stands at path.
func stayOf(f *os.File, path string) (stay, error) {
	file, err := glimpseOf(f)
	if err != nil {
		return stay{}, err
	}
	whole, err := filepath.Abs(path)
	return stay{whole, f, file}, err
}

// check returns ErrReplaced unless the file still stands there, with at least
// size bytes. It costs one call of the system.
func (s stay) check(size int64) error {
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

// uncut is check for less: it sees whether the open file was cut, and not what
// became of its name. It moves the place where a plain Read or Write of the
// file goes on.
func (s stay) uncut(size int64) error {
	now, err := s.open.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	return s.enough(now, size)
}

func (s stay) enough(now, size int64) error {
	if now < size {
		return fmt.Errorf("%w: %q has %d bytes, and had %d", ErrReplaced, s.path, now, size)
	}
	return nil
}
