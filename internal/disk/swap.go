package disk

import (
	"errors"
	"io/fs"
	"os"
)

// Swap puts what stands at name in r where other stands in with, and what
// stands there at name, in one step. Both roots are open folders, and both names have
// no folder in them; what they name may be of any kind. errors.ErrUnsupported
// is in the chain of the error where the system or the file system cannot.
func Swap(r *Root, name string, with *Root, other string) error {
	return move(r, &Op{Kind: Exchange, Path: r.path(name), To: with.path(other)}, name, with, other, true)
}

// MoveNew gives the entry at name in r the name to in another open folder, where
// nothing may stand (fs.ErrExist). Names and errors are as those of Swap.
func MoveNew(r *Root, name string, in *Root, to string) error {
	return move(r, &Op{Kind: RenameNew, Path: r.path(name), To: in.path(to)}, name, in, to, false)
}

func move(r *Root, op *Op, name string, in *Root, to string, exchanges bool) error {
	run := func() error {
		from, err := open(r)
		if err != nil {
			return err
		}
		into, err := open(in)
		if err != nil {
			return err
		}
		if err := renameFlag(from, name, into, to, exchanges); err != nil {
			return &os.LinkError{Op: string(op.Kind), Old: name, New: to, Err: err}
		}
		return nil
	}
	return r.disk.do(op, run)
}

// open is the handle of the folder.
func open(r *Root) (*os.File, error) {
	if r.root == nil {
		return nil, errors.ErrUnsupported
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.handle != nil {
		return r.handle, nil
	}
	var err error
	r.handle, err = r.root.Open(".")
	return r.handle, err
}

// RemoveFolder removes an empty folder in r, and nothing else.
func RemoveFolder(r *Root, name string) error {
	run := func() error {
		dir, err := open(r)
		if err != nil {
			return err
		}
		if err := removeFolder(r.root, dir, name); err != nil {
			return &fs.PathError{Op: "rmdir", Path: name, Err: err}
		}
		return nil
	}
	return r.disk.do(&Op{Kind: Remove, Path: r.path(name)}, run)
}

// Readlink is what the link at name says.
func (r *Root) Readlink(name string) (target string, err error) {
	read := func() error {
		if r.root == nil {
			target, err = os.Readlink(name)
		} else {
			target, err = r.root.Readlink(name)
		}
		return err
	}
	err = r.disk.do(&Op{Kind: Read, Path: r.path(name)}, read)
	return target, err
}

// SyncFileSystem makes all durable that lies on the file system of r, names and times
// too: for many files that costs less than syncing each. Where the
// system cannot, or would not say that it failed, errors.ErrUnsupported is in
// the chain of the error.
func SyncFileSystem(r *Root) error {
	return r.disk.do(&Op{Kind: SyncAll, Path: r.path(".")}, func() error {
		dir, err := open(r)
		if err != nil {
			return err
		}
		return syncAll(dir)
	})
}
