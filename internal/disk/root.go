package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// A Root is an open folder, whose names are slash-separated and lead nowhere
// else; or, from Disk.Anywhere, none, whose names are paths. It is safe for
// concurrent use. Methods without a comment do what those of os.Root do.
type Root struct {
	disk *Disk
	root *os.Root // nil: anywhere
	dir  string   // absolute; "" anywhere, and below a plain one

	mu     sync.Mutex
	handle *os.File // of the folder, where something needed it
}

// Plain reports whether nothing stands before the operating system.
func (r *Root) Plain() bool { return r.disk == nil }

// path is the absolute path of name, for a Layer.
func (r *Root) path(name string) string {
	if r.root != nil {
		return filepath.Join(r.dir, filepath.FromSlash(name))
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return name // the operation itself will say why
	}
	return abs
}

// OpenRoot opens the folder at name.
func (r *Root) OpenRoot(name string) (*Root, error) {
	if r.root == nil {
		return r.disk.OpenRoot(name)
	}
	if r.disk == nil {
		root, err := r.root.OpenRoot(name)
		if err != nil {
			return nil, noFolder(err)
		}
		return &Root{root: root}, nil
	}
	sub := &Root{disk: r.disk, dir: r.path(name)}
	err := r.disk.do(&Op{Kind: Open, Path: sub.dir}, func() (err error) {
		sub.root, err = r.root.OpenRoot(name)
		return noFolder(err)
	})
	if err != nil {
		return nil, err
	}
	return sub, nil
}

// noFolder is the error of package os for an entry that is opened as a folder and
// is none: there it is a text, which nobody can branch on.
func noFolder(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) && path.Err.Error() == syscall.ENOTDIR.Error() {
		path.Err = syscall.ENOTDIR
	}
	return err
}

// Close closes the folder.
func (r *Root) Close() error {
	if r.root == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.handle != nil {
		_ = r.handle.Close() // nothing was written to it
		r.handle = nil
	}
	return r.root.Close()
}

// names is how entries are reached by their names: in an open folder, or
// anywhere. *os.Root is such a thing.
type names interface {
	OpenFile(name string, flags int, perm fs.FileMode) (*os.File, error)
	Lstat(name string) (fs.FileInfo, error)
	Stat(name string) (fs.FileInfo, error)
	Mkdir(name string, perm fs.FileMode) error
	Symlink(target, name string) error
	Link(name, to string) error
	Rename(name, to string) error
	Remove(name string) error
	Chmod(name string, mode fs.FileMode) error
	Chtimes(name string, access, change time.Time) error
}

// anywhere reaches entries by paths, as package os does.
type anywhere struct{}

func (anywhere) OpenFile(name string, flags int, perm fs.FileMode) (*os.File, error) {
	return openFile(name, flags, perm)
}
func (anywhere) Lstat(name string) (fs.FileInfo, error)    { return os.Lstat(name) }
func (anywhere) Stat(name string) (fs.FileInfo, error)     { return os.Stat(name) }
func (anywhere) Mkdir(name string, perm fs.FileMode) error { return os.Mkdir(name, perm) }
func (anywhere) Symlink(target, name string) error         { return os.Symlink(target, name) }
func (anywhere) Link(name, to string) error                { return os.Link(name, to) }
func (anywhere) Rename(name, to string) error              { return rename(name, to) }
func (anywhere) Remove(name string) error                  { return remove(name) }
func (anywhere) Chmod(name string, mode fs.FileMode) error { return os.Chmod(name, mode) }
func (anywhere) Chtimes(name string, access, change time.Time) error {
	return os.Chtimes(name, access, change)
}

func (r *Root) names() names {
	if r.root == nil {
		return anywhere{}
	}
	return r.root
}

// do carries an operation out, before a Layer. Where there is none, each method
// calls the system itself: an Op costs an allocation.
func (r *Root) do(op *Op, run func(n names) error) error {
	return r.disk.do(op, func() error { return run(r.names()) })
}

// Open opens a file or a folder for reading.
func (r *Root) Open(name string) (*File, error) { return r.OpenFile(name, os.O_RDONLY, 0) }

// OpenFile opens a file, and makes it where flags say so.
func (r *Root) OpenFile(name string, flags int, perm fs.FileMode) (*File, error) {
	if r.disk == nil {
		file, err := r.names().OpenFile(name, flags, perm)
		if err != nil {
			return nil, err
		}
		return &File{file: file}, nil
	}
	f := &File{disk: r.disk, path: r.path(name), appends: flags&os.O_APPEND != 0}
	return r.disk.openFile(f, flags, perm, func() (err error) {
		f.file, err = r.names().OpenFile(name, flags, perm)
		return err
	})
}

// openFile opens f before a Layer: making a file and cutting one that is there
// are operations of their own.
func (d *Disk) openFile(f *File, flags int, perm fs.FileMode, open func() error) (*File, error) {
	kind, truncates := Open, false
	if _, err := os.Stat(f.path); flags&os.O_CREATE != 0 && errors.Is(err, fs.ErrNotExist) {
		kind = Create
	} else if err == nil && flags&os.O_TRUNC != 0 {
		truncates = true
	}
	if err := d.do(&Op{Kind: kind, Path: f.path, Flags: flags, Mode: perm}, open); err != nil {
		if f.file != nil {
			err = errors.Join(err, f.file.Close())
		}
		return nil, err
	}
	if truncates {
		err := d.do(&Op{Kind: Truncate, Path: f.path, File: f.file}, func() error { return nil })
		if err != nil {
			return nil, errors.Join(err, f.file.Close())
		}
	}
	return f, nil
}

// Lstat looks at what stands at name, and follows no link there.
func (r *Root) Lstat(name string) (info fs.FileInfo, err error) {
	if r.disk == nil {
		return r.names().Lstat(name)
	}
	err = r.do(&Op{Kind: Stat, Path: r.path(name)}, func(n names) error { info, err = n.Lstat(name); return err })
	return info, err
}

// Stat looks at what stands at name.
func (r *Root) Stat(name string) (info fs.FileInfo, err error) {
	if r.disk == nil {
		return r.names().Stat(name)
	}
	err = r.do(&Op{Kind: Stat, Path: r.path(name)}, func(n names) error { info, err = n.Stat(name); return err })
	return info, err
}

// ReadDir lists the folder at name, sorted by names.
func (r *Root) ReadDir(name string) ([]fs.DirEntry, error) {
	f, err := r.Open(name)
	if err != nil {
		return nil, err
	}
	list, err := f.ReadDir(-1)
	return list, errors.Join(err, f.Close())
}

// Mkdir makes a folder.
func (r *Root) Mkdir(name string, perm fs.FileMode) error {
	if r.disk == nil {
		return r.names().Mkdir(name, perm)
	}
	return r.do(&Op{Kind: Mkdir, Path: r.path(name), Mode: perm}, func(n names) error { return n.Mkdir(name, perm) })
}

// MakeFIFO makes a FIFO (a named pipe); errors.ErrUnsupported where the system
// cannot do that in an open folder.
func (r *Root) MakeFIFO(name string, perm fs.FileMode) error {
	if r.root == nil {
		return errors.ErrUnsupported
	}
	return r.disk.do(&Op{Kind: Create, Path: r.path(name), Mode: perm | fs.ModeNamedPipe},
		func() error { return makeFIFO(r.root, name, perm) })
}

// Symlink makes a link at name that says target.
func (r *Root) Symlink(target, name string) error {
	if r.disk == nil {
		return r.names().Symlink(target, name)
	}
	return r.do(&Op{Kind: Symlink, Path: r.path(name), To: target},
		func(n names) error { return n.Symlink(target, name) })
}

// Link gives the file at name a second name.
func (r *Root) Link(name, to string) error {
	if r.disk == nil {
		return r.names().Link(name, to)
	}
	return r.do(&Op{Kind: Link, Path: r.path(name), To: r.path(to)}, func(n names) error { return n.Link(name, to) })
}

// Rename gives the entry at name another name, and replaces what stands there.
func (r *Root) Rename(name, to string) error {
	if r.disk == nil {
		return r.names().Rename(name, to)
	}
	return r.do(&Op{Kind: Rename, Path: r.path(name), To: r.path(to)},
		func(n names) error { return n.Rename(name, to) })
}

// Remove removes a file, a link or an empty folder.
func (r *Root) Remove(name string) error {
	if r.disk == nil {
		return r.names().Remove(name)
	}
	return r.do(&Op{Kind: Remove, Path: r.path(name)}, func(n names) error { return n.Remove(name) })
}

// Chmod sets the mode of a file or folder.
func (r *Root) Chmod(name string, mode fs.FileMode) error {
	if r.disk == nil {
		return r.names().Chmod(name, mode)
	}
	return r.do(&Op{Kind: Chmod, Path: r.path(name), Mode: mode}, func(n names) error { return n.Chmod(name, mode) })
}

// Chtimes sets the time of modification, and leaves that of the last access.
func (r *Root) Chtimes(name string, t time.Time) error {
	if r.disk == nil {
		return r.names().Chtimes(name, time.Time{}, t)
	}
	return r.do(&Op{Kind: Chtimes, Path: r.path(name), Time: t},
		func(n names) error { return n.Chtimes(name, time.Time{}, t) })
}

// ChtimesLink is Chtimes for a link itself; where the system cannot do that, it
// does nothing. Anywhere it is an error.
func (r *Root) ChtimesLink(name string, t time.Time) error {
	if r.Plain() && r.root != nil {
		return setLinkTime(r.root, name, t)
	}
	if r.root == nil {
		return &fs.PathError{Op: "chtimes", Path: name, Err: errors.ErrUnsupported}
	}
	return r.disk.do(&Op{Kind: Chtimes, Path: r.path(name), Time: t}, func() error {
		return setLinkTime(r.root, name, t)
	})
}

// SyncFolder makes the names in the folder at name durable. Where folders
// cannot be synced, the file system keeps names in order by itself, and it does
// nothing.
func (r *Root) SyncFolder(name string) error {
	return r.disk.do(&Op{Kind: SyncFolder, Path: r.path(name)}, func() error {
		return syncFolder(r.root, name)
	})
}
