package content

import (
	"io"

	"github.com/planlock/planlock/internal/disk"
)

// Write makes f hold a content of size bytes. A small one is written
// over what is there, since cutting the file first costs several times as much.
// A large one is written to the empty file, so that holes stay holes, and
// blocks are shared (if share says so), where the file system has that.
func Write(f *disk.File, in io.Reader, size int64, share bool) error {
	if size <= Small {
		n, err := io.Copy(onlyWriter{f}, in)
		if err == nil && n != size {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		return f.Truncate(size)
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	w := &Sparse{F: f}
	if c, ok := in.(*Checked); ok && share {
		w.Offset = ShareOut(f, c, size)
	}
	if _, err := io.CopyN(io.Discard, in, w.Offset); err != nil {
		return err
	}
	if _, err := io.CopyBuffer(onlyWriter{w}, in, make([]byte, 256<<10)); err != nil {
		return err
	}
	if w.Offset != size {
		return io.ErrUnexpectedEOF
	}
	return w.Finish()
}

// onlyWriter hides what else a file can do, so that the buffer of the reader is
// used.
type onlyWriter struct{ io.Writer }
