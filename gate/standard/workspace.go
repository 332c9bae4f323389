package standard

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"
)

// maxSearched is how much of a file the checks read.
const maxSearched = 64 << 20

// A workspace is the folder under judgement. Nothing outside it can be reached through it, by no path and by no link.
type workspace struct{ *os.Root }

func openWorkspace(dir string) (workspace, error) {
	if dir == "" {
		return workspace{}, errors.New("standard: the pass names no workspace; set Dir")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return workspace{}, fmt.Errorf("standard: open workspace: %w", err)
	}
	return workspace{root}, nil
}

// errTooLarge says that a file is larger than what is read of files of its kind.
var errTooLarge = errors.New("file is too large to be read")

// errNotRegular says that no regular file stands at a path.
var errNotRegular = errors.New("not a regular file")

// read reads a whole regular file of at most limit bytes. Anything else (a FIFO, a folder, a device) is not opened.
func (w workspace) read(name string, limit int64) ([]byte, error) {
	name = path.Clean(name)
	info, err := w.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errNotRegular}
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
		return nil, &fs.PathError{Op: "read", Path: name, Err: errNotRegular}
	}
	return readAtMost(f, name, limit)
}

// readAtMost reads r to its end, which must come within limit bytes.
func readAtMost(r io.Reader, name string, limit int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > limit {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("%w (more than %d bytes)", errTooLarge, limit)}
	}
	return content, nil
}

// gone reports whether nothing stands at a path, a file where a folder would have to be included.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// leadsOutside reports whether a path was refused because it, or a link on it, leads out of the workspace.
func leadsOutside(err error) bool {
	var p *fs.PathError
	return errors.As(err, &p) && p.Err != nil && p.Err.Error() == "path escapes from parent"
}

func whyNot(err error) string {
	if leadsOutside(err) {
		return "the path leads out of the workspace"
	}
	return "nothing stands there"
}

// kindOf names a file mode's kind.
func kindOf(m fs.FileMode) string {
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
