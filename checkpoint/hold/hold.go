package hold

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/internal/disk"
)

// Held is the exclusive lock on a workspace, while somebody has it. It is safe
// for concurrent use.
type Held struct {
	at file.Stay

	mu     sync.Mutex
	file   *disk.File // nil: released
	folder *disk.File // the controller's folder, locked too; nil where that cannot be
	above  []*os.File // lock files of the workspaces that this one lies in, shared with others that do
}

// Check returns checkpoint.ErrReplaced if the lock file is no longer the one
// that is locked: somebody else could hold the workspace too, so stop working
// in it. It costs one call of the system, so it can be asked often. After
// Release it is checkpoint.ErrClosed.
func (h *Held) Check() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file == nil {
		return fmt.Errorf("checkpoint: check lock: %w", checkpoint.ErrClosed)
	}
	return h.at.Check(0)
}

// Release gives the lock back. Calling it again is harmless.
func (h *Held) Release() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file == nil {
		return nil
	}
	var errs []error
	for _, f := range []*disk.File{h.folder, h.file} { // who finds the file free finds the folder free too
		if f != nil {
			errs = append(errs, file.Unlock(f.OS()), f.Close())
		}
	}
	for _, f := range h.above {
		errs = append(errs, file.Unlock(f), f.Close())
	}
	h.file, h.folder, h.above = nil, nil, nil
	return errors.Join(errs...)
}

// Workspace takes the exclusive lock on the workspace dir, without waiting. The
// operating system takes it from a process that dies, and child processes do
// not inherit it. It is exclusive inside one process too. *checkpoint.HeldError
// says who holds it.
//
// Where there is none, it makes dir/.planlock with a file that keeps it out of
// git. The lock file itself is never removed; where somebody else removes it, a
// second controller is still kept away on Unix, by a lock on the folder.
//
// A workspace in which this one lies, or which lies in it, must not be held
// either: that is a *checkpoint.HeldError for it. Noticed are those that lie
// there by their path, links in it followed, and whose lock file may be read;
// not those that are reached by another mount, and not those below that are
// held since before a .planlock that had been used was moved here, or back here
// (a copy of one is no matter). What lies in a folder named .planlock, such as
// the clone of an isolated run, does not lie in the workspace around it.
func Workspace(ctx context.Context, dir string) (*Held, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("checkpoint: hold: %w", context.Cause(ctx))
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("checkpoint: workspace %q does not exist, make it or name another: %w", dir, err)
	case err != nil:
		return nil, fmt.Errorf("checkpoint: workspace %q: %w", dir, err)
	case !info.IsDir():
		return nil, fmt.Errorf("checkpoint: workspace %q is a file, name the folder that holds it: %w", dir,
			file.ErrNotFolder)
	}
	root, err := disk.From(ctx).OpenRoot(dir)
	if err != nil {
		return nil, cannotHold(dir, err)
	}
	defer root.Close() // nothing was written through it
	if err := makeOwn(root); err != nil {
		return nil, cannotHold(dir, err)
	}
	f, err := lockOwn(ctx, root, dir)
	if err != nil {
		return nil, err
	}
	h := &Held{file: f}
	if h.folder, err = lockFolder(root, dir); err != nil {
		return nil, errors.Join(err, h.Release())
	}
	if h.above, err = lookAround(ctx, f, dir); err != nil {
		return nil, errors.Join(err, h.Release())
	}
	if h.at, err = file.StayOf(f.OS(), filepath.Join(dir, lockName)); err == nil {
		err = writeHolder(f)
	}
	if errors.Is(err, syscall.ENOSPC) {
		err = nil // the name is only for people, and whoever makes room has to hold the workspace
	}
	if err != nil {
		return nil, errors.Join(cannotHold(dir, err), h.Release())
	}
	return h, nil
}

// lockFolder locks the controller's folder, where the system can do that.
func lockFolder(root *disk.Root, dir string) (*disk.File, error) {
	f, err := root.Open(ownFolder)
	if err != nil {
		return nil, nil
	}
	held, err := file.Lock(f.OS())
	switch {
	case held:
		return nil, errors.Join(&checkpoint.HeldError{Dir: dir, Holder: "a process whose lock file was removed"},
			f.Close())
	case err != nil:
		return nil, f.Close()
	}
	return f, nil
}

// makeOwn makes the controller's folder.
func makeOwn(root *disk.Root) error {
	err := root.Mkdir(ownFolder, 0o755)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if info, err := root.Lstat(ownFolder); err != nil {
		return err
	} else if !info.IsDir() {
		return &fs.PathError{Op: "open", Path: ownFolder, Err: file.ErrNotFolder}
	}
	switch info, err := root.Lstat(ignoreName); {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%q is not a regular file, remove it", ignoreName)
	case err == nil && info.Size() > 0:
		return nil
	}
	// Nothing in it may be called durable before its own name is. Its first
	// file says that this was done.
	if err := root.SyncFolder("."); err != nil {
		return err
	}
	f, err := root.OpenFile(ignoreName, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte("*\n"))
	return errors.Join(err, f.Close())
}

// lockOwn opens and locks the lock file. Somebody may have put another file in
// its place between the two, then it tries again.
func lockOwn(ctx context.Context, root *disk.Root, dir string) (*disk.File, error) {
	for range 10 {
		if info, err := root.Lstat(lockName); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("checkpoint: workspace %q: %q is not a regular file, remove it", dir, lockName)
		}
		f, err := root.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, cannotHold(dir, err)
		}
		held, err := file.Lock(f.OS())
		if err != nil {
			return nil, errors.Join(cannotHold(dir, err), f.Close())
		}
		if held {
			return nil, errors.Join(heldBy(ctx, f, dir), f.Close())
		}
		there, err := root.Lstat(lockName)
		mine, merr := f.Stat()
		if err == nil && merr == nil && os.SameFile(there, mine) {
			return f, nil
		}
		if err := f.Close(); err != nil {
			return nil, cannotHold(dir, err)
		}
	}
	return nil, fmt.Errorf("checkpoint: workspace %q: somebody replaces %q all the time", dir, lockName)
}
