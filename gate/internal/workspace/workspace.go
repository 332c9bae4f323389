// Package workspace reads the folder under judgement, and nothing outside of
// it.
package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"
)

// A Folder is the folder under judgement. Nothing outside it can be reached
// through it, by no path and by no link.
type Folder struct{ *os.Root }

// Open opens the workspace of a pass.
func Open(dir string) (Folder, error) {
	if dir == "" {
		return Folder{}, errors.New("gate: the pass names no workspace; set Dir")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Folder{}, fmt.Errorf("gate: open workspace: %w", err)
	}
	return Folder{root}, nil
}

// errTooLarge says that a file is larger than what is read of files of its
// kind.
var errTooLarge = errors.New("file is too large to be read")

// ErrNotRegular says that no regular file stands at a path.
var ErrNotRegular = errors.New("not a regular file")

// Read reads a whole regular file of at most limit bytes. Anything else (a
// FIFO, a folder, a device) is not opened.
func (w Folder) Read(name string, limit int64) ([]byte, error) {
	name = path.Clean(name)
	info, err := w.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: ErrNotRegular}
	}
	f, err := w.OpenFile(name, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// What stands there may have been swapped since it was looked at.
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: ErrNotRegular}
	}
	return ReadAtMost(f, name, limit)
}

// ReadAtMost reads r to its end, which must come within limit bytes.
func ReadAtMost(r io.Reader, name string, limit int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > limit {
		return nil, &fs.PathError{Op: "read", Path: name,
			Err: fmt.Errorf("%w (more than %d bytes)", errTooLarge, limit)}
	}
	return content, nil
}

// Gone reports whether nothing stands at a path, a file where a folder would
// have to be included.
func Gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// LeadsOutside reports whether a path was refused because it, or a link on it,
// leads out of the workspace.
func LeadsOutside(err error) bool {
	var p *fs.PathError
	return errors.As(err, &p) && p.Err != nil && p.Err.Error() == "path escapes from parent"
}

// WhyNot says why a path was not found.
func WhyNot(err error) string {
	if LeadsOutside(err) {
		return "the path leads out of the workspace"
	}
	return "nothing stands there"
}

// KindOf names a file mode's kind.
func KindOf(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return "file"
	case m.IsDir():
		return "folder"
	case m&fs.ModeSymlink != 0:
		return "link"
	}
	return "special file"
}
