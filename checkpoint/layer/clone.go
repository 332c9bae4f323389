package layer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"

	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// own is the controller's folder in a workspace, which a clone never has.
const own = ".planlock"

// ErrClone is in the chain of errors about a workspace that cannot be cloned.
var ErrClone = errors.New("layer: the workspace cannot be cloned")

// Clone copies what the folder from holds into the new folder to: files, with
// times and modes, links as they are, pipes, sockets that nobody listens to, and
// the repository; not .planlock, nor devices. Names that share a file get one each. Where the
// file system can share contents between files it does.
//
// The folder appears under its name when it is complete, so that a clone that
// was cut off is none. What cannot be read is an error that wraps [ErrClone].
func Clone(ctx context.Context, from, to string) (err error) {
	begun, anywhere := to+".new", disk.From(ctx).Anywhere()
	if err = removeAll(anywhere, begun); err == nil {
		err = anywhere.MkdirAll(begun, 0o700)
	}
	if err == nil {
		err = copyInto(ctx, from, begun, ".")
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrClone, errors.Join(err, removeAll(anywhere, begun)))
	}
	if err := anywhere.Rename(begun, to); err != nil {
		return fmt.Errorf("%w: %w", ErrClone, err)
	}
	return nil
}

// Renew puts a copy of what stands at a path of the folder from, also of a
// folder with all that is in it, in place of what stands there in the clone to;
// nothing if nothing does. The path is relative to both.
func Renew(ctx context.Context, from, to, path string) error {
	err := removeAll(disk.From(ctx).Anywhere(), filepath.Join(to, path))
	if err == nil {
		err = copyInto(ctx, from, to, path)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrClone, err)
	}
	return nil
}

// Discard removes a clone, whatever modes its folders have. It is no error if
// there is none.
func Discard(ctx context.Context, dir string) error {
	anywhere := disk.From(ctx).Anywhere()
	if err := errors.Join(removeAll(anywhere, dir+".new"), removeAll(anywhere, dir)); err != nil {
		return fmt.Errorf("layer: the clone cannot be removed: %w", err)
	}
	return nil
}

// removeAll is RemoveAll that opens folders which their owner closed.
func removeAll(anywhere *disk.Root, dir string) error {
	if err := anywhere.RemoveAll(dir); err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			return anywhere.Chmod(path, 0o700) // the removal that follows says what cannot be done
		}
		return nil
	})
	return anywhere.RemoveAll(dir)
}

// removeOutside is removeAll for folders that lie outside of the workspace.
func removeOutside(dir string) error { return removeAll((*disk.Disk)(nil).Anywhere(), dir) }

// copyInto copies what stands at a path of one folder to the same path of
// another, where nothing stands.
func copyInto(ctx context.Context, from, to, path string) (err error) {
	c := &cloning{ctx: ctx, dir: to, files: make(chan string)}
	if c.from, err = disk.From(ctx).OpenRoot(from); err != nil {
		return err
	}
	defer c.from.Close() // only a handle
	if c.to, err = disk.From(ctx).OpenRoot(to); err != nil {
		return err
	}
	defer c.to.Close() // only a handle
	return errors.Join(c.run(path), c.dress())
}

// cloning is one copy under way. Folders are made in order, files by several
// workers, and folders get their modes and times once all is in them.
type cloning struct {
	ctx      context.Context
	from, to *disk.Root
	dir      string // of to
	files    chan string
	folders  []folder
	mu       sync.Mutex
	errs     []error
}

type folder struct {
	name string
	info fs.FileInfo
}

// run copies what stands at a path.
func (c *cloning) run(path string) error {
	var wait sync.WaitGroup
	for range max(2, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for name := range c.files {
				if err := c.copyFile(name); err != nil {
					c.failed(err)
				}
			}
		})
	}
	info, err := c.from.Lstat(path)
	switch {
	case err == nil:
		err = c.enter(path, info)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	close(c.files)
	wait.Wait()
	return errors.Join(append(c.errs, err)...)
}

func (c *cloning) failed(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.errs) < 10 {
		c.errs = append(c.errs, err)
	}
}

// enter copies one entry, with all that is in it, or has it copied.
func (c *cloning) enter(name string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case c.ctx.Err() != nil:
		return context.Cause(c.ctx)
	case mode.IsDir():
		return c.folder(name, info)
	case mode.IsRegular():
		c.files <- name
	case mode&fs.ModeSymlink != 0:
		target, err := c.from.Readlink(name)
		if err != nil {
			return vanished(err)
		}
		return c.to.Symlink(target, name)
	case mode&fs.ModeNamedPipe != 0:
		return c.to.MakeFIFO(name, mode.Perm())
	case mode&fs.ModeSocket != 0:
		return makeSocket(filepath.Join(c.dir, name), mode)
	}
	return nil
}

// folder copies a folder.
func (c *cloning) folder(name string, info fs.FileInfo) error {
	list, err := c.from.ReadDir(name)
	if err != nil {
		return vanished(err)
	}
	c.folders = append(c.folders, folder{name, info})
	if name != "." {
		if err := c.to.Mkdir(name, 0o700); err != nil {
			return err
		}
	}
	for _, d := range list {
		within := filepath.Join(name, d.Name())
		if within == own {
			continue
		}
		info, err := d.Info()
		if err == nil {
			err = c.enter(within, info)
		} else {
			err = vanished(err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// vanished is an error, unless it says that somebody took something away
// meanwhile.
func vanished(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// copyFile copies a regular file; what became something else meanwhile is left
// out.
func (c *cloning) copyFile(name string) error {
	in, err := c.from.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ELOOP) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	mode := info.Mode() & ledger.FileMode(0o7777)
	if cloneFile(in, c.to, name) {
		return errors.Join(c.to.Chmod(name, mode), c.to.Chtimes(name, info.ModTime()))
	}
	out, err := c.to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	switch {
	case !out.Plain():
		_, err = io.Copy(out, in)
	case hasHoles(info):
		err = copyWithHoles(out.OS(), in.OS(), info.Size())
	default:
		_, err = io.Copy(out.OS(), in.OS())
	}
	err = errors.Join(err, out.Chmod(mode), out.Close())
	return errors.Join(err, c.to.Chtimes(name, info.ModTime()))
}

// dress gives folders their modes and times, the deepest first.
func (c *cloning) dress() error {
	var errs []error
	for i := len(c.folders) - 1; i >= 0; i-- {
		f := c.folders[i]
		mode := f.info.Mode() & ledger.FileMode(0o7777)
		if f.name == "." {
			mode |= 0o700
		}
		errs = append(errs, c.to.Chtimes(f.name, f.info.ModTime()), c.to.Chmod(f.name, mode))
	}
	return errors.Join(errs...)
}
