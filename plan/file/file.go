// Package file reads the files that plans are made of, and notices when they
// move.
package file

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/planlock/planlock/plan"
)

// maxSize is the size up to which a plan is read.
const maxSize = 16 << 20

// Errors of reading besides those of the file system.
var (
	ErrNotRegular = errors.New("not a regular file")
	ErrNoPlan     = errors.New("no plan in this folder")
	ErrManyPlans  = errors.New("more than one plan in this folder")
)

// Read reads a file that is what its name says: neither a device nor a pipe,
// which could hold the reader for ever, nor larger than a plan may be. A
// symbolic link is followed. The error is that of the file system
// ([fs.ErrNotExist], [fs.ErrPermission]), [ErrNotRegular] or a *[plan.SizeError].
func Read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	defer f.Close()
	for range 3 {
		before, err := f.Stat()
		switch {
		case err != nil:
			return nil, fmt.Errorf("plan: %w", err)
		case !before.Mode().IsRegular():
			return nil, fmt.Errorf("plan: %q is %w: name a file, or a folder that holds a plan", path, ErrNotRegular)
		case before.Size() > maxSize:
			return nil, &plan.SizeError{Name: path, Size: before.Size(), Max: maxSize}
		}
		text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
		if err != nil {
			return nil, fmt.Errorf("plan: %w", err)
		}
		if after, err := f.Stat(); err == nil && stampOf(before).same(after) && int64(len(text)) == after.Size() {
			return text, nil
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, fmt.Errorf("plan: %w", err)
		}
	}
	return nil, fmt.Errorf("plan: %q changes while it is read: try again", path)
}
