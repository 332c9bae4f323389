package disk

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"syscall"
)

// MkdirAll makes the folder at name and those above it; see MakeFolders for one
// that is durable.
func (r *Root) MkdirAll(name string, perm fs.FileMode) error {
	return makeFolders(r, name, perm, false)
}

// MakeFolders makes the folder at name and those above it, durably. Where the
// folder is there, whoever made it may have died before its name was
// synced, so that is done again; those above were durable before it was made.
func (r *Root) MakeFolders(name string, perm fs.FileMode) error {
	return makeFolders(r, name, perm, true)
}

// makeFolders makes the folders from the outermost in, so that each can be
// synced into one that is durable.
func makeFolders(r *Root, name string, perm fs.FileMode, durable bool) error {
	name, parent := clean(r, name)
	switch info, err := r.Stat(name); {
	case err == nil && info.IsDir() && durable && parent != name:
		return r.SyncFolder(parent)
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return &fs.PathError{Op: "mkdir", Path: name, Err: syscall.ENOTDIR}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if parent != name {
		if err := makeFolders(r, parent, perm, durable); err != nil {
			return err
		}
	}
	if err := r.Mkdir(name, perm); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if !durable {
		return nil
	}
	return r.SyncFolder(parent)
}

// clean returns name in its shortest form, and the folder that holds it.
func clean(r *Root, name string) (string, string) {
	if r.root == nil {
		name = filepath.Clean(name)
		return name, filepath.Dir(name)
	}
	name = path.Clean(filepath.ToSlash(name))
	return name, path.Dir(name)
}

// RemoveAll removes what stands at name and all below it. It follows no link.
// It is no error if nothing is there.
func (r *Root) RemoveAll(name string) error {
	err := r.Remove(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	info, lerr := r.Lstat(name)
	if lerr != nil || !info.IsDir() {
		return err
	}
	list, lerr := r.ReadDir(name)
	if lerr != nil {
		return lerr
	}
	name, _ = clean(r, name)
	for _, e := range list {
		if err := r.RemoveAll(join(r, name, e.Name())); err != nil {
			return err
		}
	}
	if err := r.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// join is the path of an entry of a folder, as r takes paths.
func join(r *Root, dir, name string) string {
	if r.root == nil {
		return filepath.Join(dir, name)
	}
	return path.Join(dir, name)
}
