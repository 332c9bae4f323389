package checkpoint

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/checkpoint/internal/format"
	"github.com/planlock/planlock/checkpoint/internal/walk"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

// A source is a folder whose contents are kept. It is not safe for concurrent
// use.
type source struct {
	w     *walk.Walker
	files *scan.Files // reads small files faster; nil where something stands before the operating system
	buf   []byte
}

// openSource opens a folder whose files are to be kept. Where something stands
// before the operating system, it has to see every call.
func openSource(ctx context.Context, dir string) (*source, error) {
	w, err := walk.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	s := &source{w: w}
	if disk.From(ctx).Plain() {
		if s.files, err = scan.OpenFiles(dir); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	return s, nil
}

func (s *source) close() {
	if s.files != nil {
		s.files.Close()
	}
	_ = s.w.Close() // only handles: there is nothing to lose
}

// read returns the content of a file, which is good until the next call. What
// is not what the entry says is a *ChangedError.
func (s *source) read(e ledger.Entry) ([]byte, error) {
	content, err := s.content(e)
	if err != nil {
		return nil, err
	}
	s.buf = content
	if want, err := e.Digest.Sum(); err != nil {
		return nil, err
	} else if sha256.Sum256(content) != want {
		return nil, &ChangedError{Path: e.Path}
	}
	return content, nil
}

// content reads a file that was scanned. One that is not as it was then, or not
// there any more, is a *[ChangedError].
func (s *source) content(e ledger.Entry) ([]byte, error) {
	if s.files != nil {
		content, err := s.files.Read(s.buf, e.Path, e.Size)
		switch {
		case errors.Is(err, scan.ErrChanging):
			err = &ChangedError{Path: e.Path}
		case errors.Is(err, fs.ErrNotExist):
			err = &ChangedError{Path: e.Path, Err: err}
		}
		return content, err
	}
	f, err := s.open(e.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	content, err := format.ReadUpTo(f, s.buf[:0], e.Size)
	if err == nil {
		if _, err = io.ReadFull(f, make([]byte, 1)); errors.Is(err, io.EOF) {
			return content, nil
		}
	}
	if err == nil || format.AtEnd(err) == nil {
		err = &ChangedError{Path: e.Path}
	}
	return nil, err
}

// open opens a regular file. What is gone or something else by now is a
// *ChangedError.
func (s *source) open(path string) (*disk.File, error) {
	dir, name, err := s.w.At(path)
	if err == nil {
		var f *disk.File
		if f, err = dir.OpenFile(name, os.O_RDONLY|file.NoWait, 0); err == nil {
			info, serr := f.Stat()
			if serr == nil && info.Mode().IsRegular() {
				return f, nil
			}
			err = errors.Join(serr, f.Close())
			return nil, &ChangedError{Path: path, Err: err}
		}
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, file.ErrNotFolder) || errors.Is(err, walk.ErrSwapped) ||
		strings.Contains(err.Error(), "escapes") {
		return nil, &ChangedError{Path: path, Err: err}
	}
	return nil, fmt.Errorf("read %q: %w", path, err)
}
