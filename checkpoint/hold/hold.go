package hold

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/internal/disk"
)

// The controller's own folder in a workspace, and what Workspace makes there.
const (
	ownFolder  = ".planlock"
	lockName   = ownFolder + "/lock"
	ignoreName = ownFolder + "/.gitignore"
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
	if err := h.lookAround(ctx, dir); err != nil {
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
		return nil, errors.Join(&checkpoint.HeldError{Dir: dir, Holder: "a process whose lock file was removed"}, f.Close())
	case err != nil:
		return nil, f.Close()
	}
	return f, nil
}

func cannotHold(dir string, err error) error {
	hint := ""
	switch {
	case errors.Is(err, syscall.EROFS):
		hint = " is on a read-only file system, work in a copy"
	case errors.Is(err, fs.ErrPermission):
		hint = " cannot be written, check its owner and mode"
	}
	return fmt.Errorf("checkpoint: workspace %q%s: %w", dir, hint, err)
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
	if info, err := root.Lstat(ignoreName); err == nil && info.Size() > 0 {
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

// A holder is what the lock file says, for people.
type holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	User    string    `json:"user"`
	Started time.Time `json:"started"`
	What    string    `json:"what"`
	File    uint64    `json:"file,omitempty"` // number of the lock file on its disk; 0 where files have none
}

func writeHolder(f *disk.File) error {
	h := holder{PID: os.Getpid(), Started: time.Now().UTC().Truncate(time.Second), What: filepath.Base(os.Args[0])}
	h.Host, _ = os.Hostname() // best effort: it only tells people where to look
	if u, err := user.Current(); err == nil {
		h.User = u.Username
	}
	if info, err := f.Stat(); err == nil {
		h.File = file.Inode(info)
	}
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.WriteAt(append(text, '\n'), 0)
	return err
}

// nameTime bounds the wait for a holder that has the lock and has not written
// its name yet.
const nameTime = 500 * time.Millisecond

// nameHolder says who holds f. Between taking the lock and writing its name a
// holder is nobody, or still seems to be the one before it, who died: that
// passes.
func nameHolder(ctx context.Context, f io.ReaderAt) string {
	limit := time.NewTimer(nameTime)
	defer limit.Stop()
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	for {
		h := readHolder(f)
		if h != nil && !h.gone() {
			return h.String()
		}
		select {
		case <-again.C:
			continue
		case <-limit.C:
		case <-ctx.Done():
		}
		if h != nil {
			return h.String()
		}
		return "a process that did not say its name yet"
	}
}

// readHolder is what f says; nil while that is nothing.
func readHolder(f io.ReaderAt) *holder {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 4096))
	h := new(holder)
	if err != nil || json.Unmarshal(text, h) != nil {
		return nil
	}
	return h
}

// gone reports whether the holder surely is no process of this host.
func (h *holder) gone() bool {
	if host, err := os.Hostname(); err != nil || host != h.Host || h.PID <= 0 {
		return false
	}
	p, err := os.FindProcess(h.PID)
	if err != nil {
		return true
	}
	defer p.Release()
	err = p.Signal(syscall.Signal(0)) // asks only whether it is there
	return errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH)
}

func (h *holder) String() string {
	return fmt.Sprintf("process %d (%q) of user %q on host %q since %s", h.PID, h.What, h.User, h.Host,
		h.Started.UTC().Format(time.RFC3339))
}
