// Package atomicfile writes files that are there whole or not at all, also
// after a power cut.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/oklog/ulid/v2"

	"github.com/planlock/planlock/internal/disk"
)

// Write replaces the file at name by one that holds content. The file and its
// folder are durable when it returns nil; after an error the old file is
// untouched, unless it is the last sync that failed: then either may be there
// after a power cut. d may be nil.
func Write(d *disk.Disk, name string, content []byte, perm fs.FileMode) error {
	root, err := d.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(WriteIn(root, filepath.Base(name), content, perm), root.Close())
}

// Stream is Write of what write writes.
func Stream(d *disk.Disk, name string, perm fs.FileMode, write func(io.Writer) error) error {
	root, err := d.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(StreamIn(root, filepath.Base(name), perm, write), root.Close())
}

// WriteIn is Write for a slash-separated path below root, which no link in the
// path can lead out of.
func WriteIn(root *disk.Root, name string, content []byte, perm fs.FileMode) error {
	return StreamIn(root, name, perm, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// StreamIn is WriteIn of what write writes.
func StreamIn(root *disk.Root, name string, perm fs.FileMode, write func(io.Writer) error) (err error) {
	name = path.Clean(filepath.ToSlash(name))
	temp := path.Join(path.Dir(name), ".planlock-"+ulid.Make().String())
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	// A crash may leave the temporary file; nobody reads it, and its name says
	// whose it is.
	defer func() {
		if err != nil {
			_ = root.Remove(temp) // best effort: the error that is returned matters more
		}
	}()
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := root.Rename(temp, name); err != nil {
		return err
	}
	return root.SyncFolder(path.Dir(name))
}
