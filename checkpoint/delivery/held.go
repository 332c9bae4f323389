package delivery

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// A finish is one delivery that is being carried out. Couriers share it.
type finish struct {
	d        *Delivery
	slots    *disk.Root
	outcomes []outcome // by the number of the change; each belongs to one courier

	mu     sync.Mutex // guards what follows
	opened []opened
	beside bool       // something was put beside its path
	left   []recorded // what is foreign and lies beside its path
}

// A courier carries changes out. Several of them share what a finish holds; one
// is not safe for concurrent use.
type courier struct {
	*hand
	*finish
	in   *disk.Root // the folder that was identified last
	info fs.FileInfo
}

// identity tells a folder from others.
func (c *courier) identity(dir *disk.Root) (fs.FileInfo, error) {
	if c.in == dir {
		return c.info, nil
	}
	info, err := dir.Stat(".")
	if err == nil {
		c.in, c.info = dir, info
	}
	return info, err
}

// courier has a courier do something.
func (f *finish) courier(do func(c *courier) error) error {
	h, err := f.d.place.hand()
	if err != nil {
		return err
	}
	defer h.close()
	return do(&courier{hand: h, finish: f})
}

// asBefore is what stood at the path before, with the mode that the folder has
// if it had to be opened.
func (c *courier) asBefore(change *ledger.Change) *ledger.Entry {
	if change.Before != nil && change.Before.Kind == ledger.Dir {
		if _, opened := c.wasMode(change.Path); opened {
			e := *change.Before
			e.Mode |= 0o700
			return &e
		}
	}
	return change.Before
}

// try does something in the folder of path. Where that was removed since it was
// opened, it goes there anew.
func (c *courier) try(path string, do func(dir *disk.Root, name string) error) (err error) {
	for range tries {
		if err = c.tryOpen(path, do); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		top, _, _ := strings.Cut(path, "/")
		c.forget(top)
	}
	return err
}

// tryOpen does something in the folder of path. Where permission is missing, it
// opens the folders to their owner and tries once more.
func (c *courier) tryOpen(path string, do func(dir *disk.Root, name string) error) error {
	dir, name, err := c.at(path)
	if err == nil {
		err = do(dir, name)
	}
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	folder, _ := cutPath(path)
	if uerr := c.openUp(folder); uerr != nil {
		return errors.Join(err, uerr)
	}
	c.forget(folder)
	if dir, name, err = c.at(path); err != nil {
		return err
	}
	if err = do(dir, name); errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("it cannot be changed: make it and its folder yours, and take marks away (chattr -i -a, "+
			"chflags nouchg): %w", err)
	}
	return err
}

// openUp lets the owner read, write and search folder and all above it.
func (c *courier) openUp(folder string) error {
	for _, path := range append([]string{""}, prefixes(folder)...) {
		dir, name, err := c.at(path)
		if err != nil {
			return err
		}
		if path == "" {
			name = "."
		}
		info, err := dir.Lstat(name)
		if err != nil {
			return err
		}
		if !info.IsDir() || info.Mode().Perm()&0o700 == 0o700 {
			continue
		}
		if err := c.noteOpened(path, info.Mode()&modeBits); err != nil {
			return err
		}
		if err := dir.Chmod(name, info.Mode()&modeBits|0o700); err != nil {
			return fmt.Errorf("folder %q: %w", path, err)
		}
	}
	return nil
}

// wasMode is the mode that a folder had which had to be opened.
func (f *finish) wasMode(folder string) (fs.FileMode, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, o := range f.opened {
		if string(o.Folder) == folder {
			return o.Was, true
		}
	}
	return 0, false
}

// noteOpened notes durably that a folder is about to be opened, so that it is
// closed again also after a crash.
func (f *finish) noteOpened(folder string, was fs.FileMode) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened = append(f.opened, opened{[]byte(folder), was})
	if err := writeJSON(f.slots, openedName+partEnd, f.opened, true); err != nil {
		return err
	}
	return errors.Join(f.slots.Rename(openedName+partEnd, openedName), f.slots.SyncFolder("."))
}

// forgetOpened says that a folder has its own mode by now.
func (f *finish) forgetOpened(folder string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened = slices.DeleteFunc(f.opened, func(o opened) bool { return string(o.Folder) == folder })
}

// noteBeside notes durably that something is put beside its path.
func (f *finish) noteBeside() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.beside {
		return nil
	}
	err := errors.Join(writeFile(f.slots, besideFile, nil, true), f.slots.SyncFolder("."))
	f.beside = err == nil
	return err
}

func (f *finish) noteLeft(r recorded) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = append(f.left, r)
}
