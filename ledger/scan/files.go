package scan

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/planlock/planlock/ledger"
)

// Files reads files of a folder by their paths, as a scan reads them: it
// follows no link, opens nothing but regular files, and never leaves the
// folder, whatever is moved or swapped meanwhile. The folder of the last path
// stays open, so ask for paths in the order of a tree. It is not safe for
// concurrent use.
type Files struct {
	root folder
	at   folder // of the last path; nil: not known
	dir  string // its path
	buf  buffers
}

// OpenFiles opens the folder dir, which may be a link. The caller closes it.
func OpenFiles(dir string) (*Files, error) {
	root, err := openTop(dir)
	if err != nil {
		return nil, fmt.Errorf("scan: cannot open %q: %w", dir, cause(err))
	}
	return &Files{root: root}, nil
}

// Close releases the folder.
func (f *Files) Close() {
	f.leave()
	f.root.close()
}

// Read returns the content of the file at path, in b if that is large enough.
// The error has fs.ErrNotExist in its chain where nothing stands there, and
// ErrChanging where something else does than a regular file of size bytes.
func (f *Files) Read(b []byte, path string, size int64) ([]byte, error) {
	content, err := f.read(b, path, size)
	no := syscall.Errno(0)
	switch {
	case err == nil:
		return content, nil
	case errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, errNotFolder), errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENXIO),
		!errors.As(err, &no):
		err = ErrChanging
	}
	return b[:0], fmt.Errorf("scan: cannot read %q: %w", path, cause(err))
}

// read reads a file of which the size is known, with one byte more, to see it
// grow.
func (f *Files) read(b []byte, path string, size int64) ([]byte, error) {
	in, name, err := f.place(path)
	if err != nil {
		return nil, err
	}
	file, err := in.file(&f.buf, name)
	if err != nil {
		return nil, err
	}
	defer file.close()
	now, err := file.status()
	if err != nil {
		return nil, err
	}
	if now.kind() != ledger.File || now.size != size {
		return nil, ErrChanging
	}
	if int64(cap(b)) <= size {
		b = make([]byte, size+1)
	}
	return b[:size], readWhole(file, b[:size+1])
}

// place is the open folder that holds path, and the name of path in it.
func (f *Files) place(path string) (folder, string, error) {
	dir, name := splitPath(path)
	if dir == "" {
		return f.root, name, nil
	}
	if f.at == nil || f.dir != dir {
		f.leave()
		at, err := descend(&f.buf, f.root, dir)
		if err != nil {
			return nil, "", err
		}
		f.at, f.dir = at, dir
	}
	return f.at, name, nil
}

// leave closes the folder of the last path.
func (f *Files) leave() {
	if f.at != nil {
		f.at.close()
	}
	f.at = nil
}
