package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// openFile opens name as os.Root does: os.OpenFile would keep others from
// renaming, replacing and removing the file while it is open.
func openFile(name string, flags int, perm fs.FileMode) (file *os.File, err error) {
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return os.OpenFile(name, flags, perm) // it may lead out of the folder
	}
	err = inFolder(name, func(root *os.Root, base string) error {
		file, err = root.OpenFile(base, flags, perm)
		return err
	})
	return file, err
}

// remove frees the name at once, also of a file that is open.
func remove(name string) error { return inFolder(name, (*os.Root).Remove) }

// rename replaces what stands at to in the same folder, also if it is open,
// which os.Rename cannot.
func rename(name, to string) error {
	if filepath.Dir(name) != filepath.Dir(to) {
		return os.Rename(name, to)
	}
	return inFolder(name, func(root *os.Root, base string) error { return root.Rename(base, filepath.Base(to)) })
}

// inFolder does something with an entry of a folder.
func inFolder(name string, do func(root *os.Root, base string) error) error {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err == nil {
		defer root.Close()
		err = do(root, filepath.Base(name))
	}
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		failed.Path = name
	}
	return err
}
