package agent

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
)

// Bounds of what is copied of a user.
const (
	mostFile   = 4 << 20 // bytes of one file
	mostCopied = 2000    // files
)

// source is where the file of the user lies.
func (f File) source() (string, error) {
	if f.Variable != "" {
		if dir := os.Getenv(f.Variable); filepath.IsAbs(dir) {
			return filepath.Join(dir, filepath.FromSlash(f.Name)), nil
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, filepath.FromSlash(f.below())), nil
}

// below is where it lies in the agent's home.
func (f File) below() string { return path.Join(f.Folder, f.Name) }

// shown is its path as people write it.
func (f File) shown() string {
	if f.Variable != "" && filepath.IsAbs(os.Getenv(f.Variable)) {
		return "$" + f.Variable + "/" + f.Name
	}
	return "~/" + f.below()
}

// A home is what is known of the folder that an agent has for its home in a run.
type home struct {
	dir string

	once   sync.Once
	failed error
	one    sync.Mutex
	copied int // files
	logins []login
	hidden []string // NAME=value pairs of which the values stand in the copies, and are not shown
}

// seed puts copies of the user's files into a home, once. What is there already
// stays, as where two executors have one home.
func (h *home) seed(files []File) error {
	h.once.Do(func() { h.failed = h.copies(files) })
	return h.failed
}

func (h *home) copies(files []File) error {
	root, err := os.OpenRoot(h.dir)
	if err != nil {
		return fmt.Errorf("agent: home: %w", err)
	}
	defer root.Close()
	for _, f := range files {
		from, err := f.source()
		if err != nil {
			return fmt.Errorf("agent: home: %w", err)
		}
		err = h.copy(root, f, from)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("agent: home: copy of %s: %w", f.shown(), err)
		}
	}
	return nil
}

// copy puts a file, or a folder with all that is in it, into a home.
func (h *home) copy(root *os.Root, f File, from string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		entries, err := os.ReadDir(from)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if at, err := os.Stat(filepath.Join(from, e.Name())); err == nil && at.IsDir() && !e.IsDir() {
				continue // a link to a folder, which may be one around it
			}
			below := f
			below.Name = path.Join(f.Name, e.Name())
			if err := h.copy(root, below, filepath.Join(from, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	}
	if !info.Mode().IsRegular() {
		return nil // a socket, a device: no setting
	}
	if h.copied++; h.copied > mostCopied {
		return fmt.Errorf("there are more than %d files", mostCopied)
	}
	if info.Size() > mostFile {
		return fmt.Errorf("it is larger than %d bytes", mostFile)
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if f.Login {
		h.logins = append(h.logins, login{f, from, info.Mode().Perm(), text})
	}
	h.hidden = append(h.hidden, f.hidden(text)...)
	if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(f.below())), 0o700); err != nil {
		return err
	}
	to, err := root.OpenFile(filepath.FromSlash(f.below()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = to.Write(text)
	return errors.Join(err, to.Close())
}

// read reads a file of the home.
func (h *home) read(name string) ([]byte, error) {
	root, err := os.OpenRoot(h.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return readIn(root, name)
}

// readIn reads a file of a home in which an agent could leave anything: no link
// leads out of it, no pipe is waited for, and nothing large is taken in.
func readIn(root *os.Root, name string) ([]byte, error) {
	name = filepath.FromSlash(name)
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no file any more")
	}
	f, err := root.OpenFile(name, readFlags(), 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(errors.New("it was replaced while it was read"), err)
	}
	text, err := io.ReadAll(io.LimitReader(f, mostFile+1))
	if err == nil && len(text) > mostFile {
		err = fmt.Errorf("it is larger than %d bytes", mostFile)
	}
	return text, err
}

// readFlags open a pipe that took a file's place without waiting for its other
// end.
func readFlags() int {
	if runtime.GOOS == "windows" { // has no such pipes in folders
		return os.O_RDONLY
	}
	return os.O_RDONLY | syscall.O_NONBLOCK
}

// hide are what nobody is to read of what a program of the agent says, besides
// variables that are secrets by their names: NAME=value pairs of what stands in the
// copies, and in other variables that it has.
func (h *home) hide(env []string) []string {
	h.one.Lock()
	defer h.one.Unlock()
	return append(hiddenOf(env), h.hidden...)
}
