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
	file   *disk.File // the lock file; nil: released
	folder *disk.File // the workspace's folder itself; nil where the system cannot lock folders
	above  []*os.File // the folders that this one lies in and their lock files, shared with others that do
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
	return h.release()
}

// release gives the locks back, those of folders above first. It may be called
// again.
func (h *Held) release() error {
	var errs []error
	for _, f := range h.above {
		errs = append(errs, file.Unlock(f), f.Close())
	}
	for _, f := range []*disk.File{h.file, h.folder} { // who finds the folder free finds the file free too
		if f != nil {
			errs = append(errs, file.Unlock(f.OS()), f.Close())
		}
	}
	h.file, h.folder, h.above = nil, nil, nil
	return errors.Join(errs...)
}

// Workspace takes the exclusive lock on the workspace dir, without waiting. The
// operating system takes it from a process that dies, and child processes do
// not inherit it. It is exclusive inside one process too. *checkpoint.HeldError
// says who holds it; who is refused has written nothing.
//
// What is locked is the folder itself, so that nobody else gets in by removing
// or moving what lies in it; and the file .planlock/lock in it, which is made
// where there is none, with a file that keeps it out of git, and never removed.
// Where the system cannot lock folders (Windows, some network file systems),
// the file alone counts.
//
// A workspace in which this one lies, or which lies in it, must not be held
// either: that is a *checkpoint.HeldError for it. Noticed are those that lie
// there by their path, links in it followed, with folders in between that may
// be read; where the system cannot lock folders, not those below that are held
// since before a .planlock that had been used was moved here (a copy of one is
// no matter). What lies in a folder named .planlock, such as the clone of an
// isolated run, does not lie in the workspace around it.
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
	h := new(Held)
	if err := h.take(ctx, root, dir); err != nil {
		return nil, errors.Join(err, h.release())
	}
	return h, nil
}

// take asks first, and writes then.
func (h *Held) take(ctx context.Context, root *disk.Root, dir string) (err error) {
	if err := h.lockFolder(ctx, root, dir); err != nil {
		return err
	}
	if err := h.lookAround(ctx, dir); err != nil {
		return err
	}
	if err := makeOwn(root); err != nil {
		return cannotHold(dir, err)
	}
	if h.file, err = lockOwn(ctx, root, dir); err != nil {
		return err
	}
	if h.folder == nil { // only since now do others see that it is taken
		if err := h.lookAround(ctx, dir); err != nil {
			return err
		}
	}
	if h.at, err = file.StayOf(h.file.OS(), filepath.Join(dir, lockName)); err == nil {
		err = writeHolder(h.file)
	}
	if err != nil && !errors.Is(err, syscall.ENOSPC) { // whoever makes room has to hold the workspace
		return cannotHold(dir, err)
	}
	return nil
}

// lockFolder locks the folder itself, where the system can do that.
func (h *Held) lockFolder(ctx context.Context, root *disk.Root, dir string) error {
	f, err := root.Open(".")
	if err != nil {
		return cannotHold(dir, err)
	}
	by, err := lockOrName(ctx, f.OS(), dir)
	switch {
	case by != nil:
		return errors.Join(by, f.Close())
	case err != nil:
		return f.Close()
	}
	h.folder = f
	return nil
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
	if err := leadsNowhere(root); err != nil {
		return err
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
	if err = errors.Join(err, f.Close()); err != nil { // an empty one keeps nothing out of git
		_ = root.Remove(ignoreName) // it is written anew by whoever comes next
		_ = root.Remove(ownFolder)  // unless something lies in it
	}
	return err
}

// leadsNowhere refuses links in the controller's folder: what is written there
// would lie elsewhere, in what is somebody else's.
func leadsNowhere(root *disk.Root) error {
	list, err := root.ReadDir(ownFolder)
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.Type()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%q is a link, behind which nothing is written: put what it leads to in its place, "+
				"or remove it", ownFolder+"/"+e.Name())
		}
	}
	return nil
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
		by, err := lockOrName(ctx, f.OS(), dir)
		if err != nil {
			return nil, errors.Join(cannotHold(dir, err), f.Close())
		}
		if by != nil {
			return nil, errors.Join(by, f.Close())
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
