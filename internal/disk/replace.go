package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/oklog/ulid/v2"
)

// Replace replaces the file at name by one that holds content. The file and its
// folder are durable when it returns nil; after an error the old file is
// untouched, unless it is the last sync that failed: then either may be there
// after a power cut.
func (d *Disk) Replace(name string, content []byte, perm fs.FileMode) error {
	root, err := d.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(root.Replace(filepath.Base(name), content, perm), root.Close())
}

// ReplaceBy is Replace by what write writes.
func (d *Disk) ReplaceBy(name string, perm fs.FileMode, write func(io.Writer) error) error {
	root, err := d.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(root.ReplaceBy(filepath.Base(name), perm, write), root.Close())
}

// Replace is [Disk.Replace] for a slash-separated path below the root, which no
// link in the path can lead out of.
func (r *Root) Replace(name string, content []byte, perm fs.FileMode) error {
	return r.ReplaceBy(name, perm, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// ReplaceBy is Replace by what write writes.
func (r *Root) ReplaceBy(name string, perm fs.FileMode, write func(io.Writer) error) (err error) {
	name = path.Clean(filepath.ToSlash(name))
	temp := path.Join(path.Dir(name), ".planlock-"+ulid.Make().String())
	f, err := r.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	// A crash may leave the temporary file; nobody reads it, and its name says
	// whose it is.
	defer func() {
		if err != nil {
			_ = r.Remove(temp) // best effort: the error that is returned matters more
		}
	}()
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := r.Rename(temp, name); err != nil {
		return err
	}
	return r.SyncFolder(path.Dir(name))
}
