package restore

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/checkpoint/internal/walk"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// What a person has to do something about, in words that say what.
var (
	errInTheWay  = errors.New("a folder is in the way, and holds what is ignored, tracked or came after the scan: move that elsewhere")
	errImmutable = errors.New("it, or its folder, is marked as immutable or append-only: take that away (chattr -i -a, chflags nouchg) and restore again")
	errNoSpecial = errors.New("it was a socket or a device, which cannot be made again: put one there, then restore again")
)

// A restorer is one restore. It is not safe for concurrent use: see fork.
type restorer struct {
	plan
	from    Contents
	dir     string
	fresh   bool // dir was empty, and what comes there is somebody else's
	w       *walk.Walker
	touched map[string]bool // folders whose mode and times are to be set at the end
	failed  map[string]bool // paths that could not be mended
	rootWas fs.FileMode     // mode of dir, if it had to be changed
	errs    []error
	buf     []byte // holds a small content while it is written
}

// note keeps an error of a path, so that the others are mended all the same.
func (r *restorer) note(path string, err error) {
	if err != nil {
		r.failed[path] = true
		r.errs = append(r.errs, fmt.Errorf("%q: %w", path, err))
	}
}

// cutPath splits a path into its folder, "" for the root, and its name there.
func cutPath(path string) (folder, name string) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}

// try does something to the entry at path, in its folder. Where permission is
// missing it opens the folder up and tries once more.
func (r *restorer) try(path string, do func(dir *disk.Root, name string) error) error {
	dir, name, err := r.w.At(path)
	if err == nil {
		err = do(dir, name)
	}
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	// Only after the system refused: most folders need no opening, and asking
	// each first would cost a call.
	folder, _ := cutPath(path)
	if uerr := r.openUp(folder); uerr != nil {
		return errors.Join(err, uerr)
	}
	// The way there is gone again: the folder may have been closed to us
	// before.
	if dir, name, err = r.w.At(path); err != nil {
		return err
	}
	if err = do(dir, name); errors.Is(err, fs.ErrPermission) && (immutable(dir, name) || immutable(dir, ".")) {
		return fmt.Errorf("%w: %w", errImmutable, err)
	}
	return err
}

// openUp lets the owner read, write and search folder and all above it. finish
// undoes that.
func (r *restorer) openUp(folder string) error {
	if err := r.openRootUp(); err != nil || folder == "" {
		return err
	}
	// From the outermost in, since a folder that cannot be searched hides those
	// in it.
	for i := 0; i < len(folder); i++ {
		next := folder
		if j := strings.IndexByte(folder[i:], '/'); j >= 0 {
			next = folder[:i+j]
		}
		dir, name, err := r.w.At(next)
		if err != nil {
			return err
		}
		info, err := dir.Lstat(name)
		if err != nil {
			return err
		}
		if info.IsDir() && info.Mode().Perm()&0o700 != 0o700 {
			if err := dir.Chmod(name, info.Mode()|0o700); err != nil {
				return err
			}
			r.touched[next] = true
		}
		i = len(next)
	}
	return nil
}

// openRootUp does for the folder that is restored what openUp does for those in
// it. It has no entry in a tree, so that its mode is kept here.
func (r *restorer) openRootUp() error {
	info, err := r.w.Root.Stat(".")
	if err != nil || info.Mode().Perm()&0o700 == 0o700 {
		return err
	}
	if err := r.w.Root.Chmod(".", info.Mode()|0o700); err != nil {
		return err
	}
	r.rootWas = info.Mode()
	return nil
}

// finish sets mode and times of the folders that were touched, inner ones
// first.
func (r *restorer) finish() {
	for _, p := range slices.Backward(slices.Sorted(maps.Keys(r.touched))) {
		// A folder that could not be made has no mode to set.
		if p == "" || r.failed[p] {
			continue
		}
		r.note(p, r.finishFolder(p))
	}
	if r.rootWas != 0 {
		r.note(".", r.w.Root.Chmod(".", r.rootWas))
	}
}

// finishFolder gives a folder that was touched the mode and time that it has in
// want. One that is only tracked, or stays for the sake of what it holds, gets
// back the mode that it had, and no time.
func (r *restorer) finishFolder(path string) error {
	e, wanted := r.want.Lookup(path)
	if !wanted || e.Kind != ledger.Dir || r.leaveAlone(path) {
		// It stays for the sake of what it holds: give it its mode back.
		if e, wanted = r.have.Lookup(path); !wanted || e.Kind != ledger.Dir {
			return nil
		}
		wanted = false
	}
	err := r.try(path, func(dir *disk.Root, name string) error {
		info, err := dir.Lstat(name)
		switch {
		case err != nil:
			return err
		case !info.IsDir():
			return &fs.PathError{Op: "open", Path: name, Err: file.ErrNotFolder}
		case modeOf(info) != e.Mode:
			if err := dir.Chmod(name, e.Mode); err != nil {
				return err
			}
		}
		if !wanted {
			return nil
		}
		return setTime(dir, name, e.ModTime)
	})
	if !wanted && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, file.ErrNotFolder)) {
		return nil // it went, and perhaps something else came
	}
	return err
}

// touch says that an entry of the folder of path comes or goes.
func (r *restorer) touch(path string) {
	folder, _ := cutPath(path)
	r.touched[folder] = true
}
