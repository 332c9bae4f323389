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
	"time"

	"github.com/planlock/planlock/ledger"
)

// own is the controller's folder in a workspace, which a clone never has.
const own = ".planlock"

// ErrClone is in the chain of errors about a workspace that cannot be cloned.
var ErrClone = errors.New("layer: the workspace cannot be cloned")

// Clone copies what the folder from holds into the new folder to: files, with
// times and modes, links as they are, and the repository; not .planlock, nor
// pipes, sockets and devices. Names that share a file get one each. Where the
// file system can share contents between files it does.
//
// The folder appears under its name when it is complete, so that a clone that
// was cut off is none. What cannot be read is an error that wraps [ErrClone].
func Clone(ctx context.Context, from, to string) (err error) {
	begun := to + ".new"
	if err := removeAll(begun); err != nil {
		return fmt.Errorf("%w: %w", ErrClone, err)
	}
	if err := os.MkdirAll(begun, 0o700); err != nil {
		return fmt.Errorf("%w: %w", ErrClone, err)
	}
	c := &cloning{ctx: ctx, files: make(chan string)}
	if c.from, err = os.OpenRoot(from); err != nil {
		return fmt.Errorf("%w: %w", ErrClone, err)
	}
	defer c.from.Close()
	if c.to, err = os.OpenRoot(begun); err != nil {
		return fmt.Errorf("%w: %w", ErrClone, err)
	}
	defer c.to.Close()
	if err := errors.Join(c.run(), c.dress()); err != nil {
		return fmt.Errorf("%w: %w", ErrClone, errors.Join(err, removeAll(begun)))
	}
	if err := os.Rename(begun, to); err != nil {
		return fmt.Errorf("%w: %w", ErrClone, err)
	}
	return nil
}

// Discard removes a clone, whatever modes its folders have. It is no error if
// there is none.
func Discard(dir string) error {
	if err := errors.Join(removeAll(dir+".new"), removeAll(dir)); err != nil {
		return fmt.Errorf("layer: the clone cannot be removed: %w", err)
	}
	return nil
}

// removeAll is os.RemoveAll that opens folders which their owner closed.
func removeAll(dir string) error {
	if err := os.RemoveAll(dir); err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			return os.Chmod(path, 0o700) // the removal that follows says what cannot be done
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// cloning is one copy under way. Folders are made in order, files by several
// workers, and folders get their modes and times once all is in them.
type cloning struct {
	ctx      context.Context
	from, to *os.Root
	files    chan string
	folders  []folder
	mu       sync.Mutex
	errs     []error
}

type folder struct {
	name string
	info fs.FileInfo
}

func (c *cloning) run() error {
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
	err := fs.WalkDir(c.from.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case c.ctx.Err() != nil:
			return context.Cause(c.ctx)
		case errors.Is(err, fs.ErrNotExist):
			return nil // somebody took it away meanwhile
		case err != nil:
			return err
		case name == own:
			return fs.SkipDir
		}
		return c.enter(filepath.FromSlash(name), d)
	})
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

// enter copies one entry, or has it copied.
func (c *cloning) enter(name string, d fs.DirEntry) error {
	switch {
	case d.IsDir():
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return fs.SkipDir
		}
		if err != nil {
			return err
		}
		c.folders = append(c.folders, folder{name, info})
		if name == "." {
			return nil
		}
		return c.to.Mkdir(name, 0o700)
	case d.Type()&fs.ModeSymlink != 0:
		target, err := c.from.Readlink(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return c.to.Symlink(target, name)
	case d.Type().IsRegular():
		c.files <- name
	}
	return nil
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
		return errors.Join(c.to.Chmod(name, mode), c.to.Chtimes(name, time.Time{}, info.ModTime()))
	}
	out, err := c.to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	err = errors.Join(err, out.Chmod(mode), out.Close())
	return errors.Join(err, c.to.Chtimes(name, time.Time{}, info.ModTime()))
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
		errs = append(errs, c.to.Chtimes(f.name, time.Time{}, f.info.ModTime()), c.to.Chmod(f.name, mode))
	}
	return errors.Join(errs...)
}
