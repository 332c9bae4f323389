package layer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"syscall"

	"github.com/planlock/planlock/ledger"
)

// A merging does in the folder that lies below an overlay what was done in that.
// Files are moved, not copied; nobody else may work in either.
type merging struct {
	upper, lower *os.Root
	marks        marks
	apart        *os.Root               // for what is on its way
	origins      map[string]string      // of what was moved with its folder, by its path in the layer
	moved        map[string]string      // where in apart that is
	modes        map[string]fs.FileMode // that folders below get in the end
}

// merge does in the clone below an upper folder what a comparison found there.
// apart is a folder for what is on its way, which is made.
func merge(upper, clone, apart string, marks marks, origins map[string]string, changes []ledger.Change) (err error) {
	m := &merging{marks: marks, origins: origins, moved: map[string]string{}, modes: map[string]fs.FileMode{}}
	if err := os.Mkdir(apart, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, open := range []struct {
		root **os.Root
		dir  string
	}{{&m.upper, upper}, {&m.lower, clone}, {&m.apart, apart}} {
		if *open.root, err = os.OpenRoot(open.dir); err != nil {
			return err
		}
		defer (*open.root).Close() // only a handle
	}
	return errors.Join(m.run(changes), m.dress())
}

func (m *merging) run(changes []ledger.Change) error {
	for i, c := range changes {
		if err := m.takeApart(c, strconv.Itoa(i)); err != nil {
			return fmt.Errorf("%q: %w", c.Path, err)
		}
	}
	for _, c := range slices.Backward(changes) {
		if c.Before == nil || c.After != nil && c.After.Kind == c.Before.Kind {
			continue
		}
		err := m.may(c.Path, func() error { return m.lower.Remove(c.Path) })
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // it may have been taken apart
			return err
		}
		delete(m.modes, c.Path)
	}
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		if err := m.may(c.Path, func() error { return m.put(c) }); err != nil {
			return fmt.Errorf("%q: %w", c.Path, err)
		}
	}
	return nil
}

// may does something that needs the folders that hold a path to be writable,
// which their owner may have said they are not.
func (m *merging) may(name string, do func() error) error {
	err := do()
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	folder := path.Dir(name)
	if info, e := m.lower.Lstat(folder); e == nil {
		if _, known := m.modes[folder]; !known {
			m.modes[folder] = info.Mode()
		}
		_ = m.lower.Chmod(folder, 0o700) // what follows says if it was of no use
	}
	if _, e := m.upper.Lstat(folder); e == nil {
		_ = m.upper.Chmod(folder, 0o700)
	}
	return do()
}

// takeApart takes a file that was moved with its folder from where it lies
// below, before that is removed.
func (m *merging) takeApart(c ledger.Change, as string) error {
	origin, ok := m.origins[c.Path]
	if !ok || c.After == nil || c.After.Kind == ledger.Dir {
		return nil
	}
	m.moved[c.Path] = as
	return m.may(origin, func() error { return move(m.lower, origin, m.apart, as) })
}

// put brings one entry to its place.
func (m *merging) put(c ledger.Change) error {
	as, moved := m.moved[c.Path]
	switch {
	case c.After.Kind == ledger.Dir:
		return m.folder(c)
	case moved:
		return move(m.apart, as, m.lower, c.Path)
	default:
		if info, err := m.upper.Lstat(c.Path); err != nil {
			return err
		} else if info.Mode().IsRegular() {
			if err := m.strip(c); err != nil {
				return err
			}
		}
	}
	return move(m.upper, c.Path, m.lower, c.Path)
}

// folder makes a folder, and notes the mode that it gets in the end.
func (m *merging) folder(c ledger.Change) error {
	if c.Before == nil || c.Before.Kind != ledger.Dir {
		if err := m.lower.Mkdir(c.Path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	m.modes[c.Path] = c.After.Mode
	if info, err := m.upper.Lstat(c.Path); err == nil {
		if uid, gid := owner(info); int(uid) != os.Geteuid() || int(gid) != os.Getegid() {
			return m.lower.Lchown(c.Path, int(uid), int(gid))
		}
	}
	return nil
}

// dress gives folders their modes, the deepest first.
func (m *merging) dress() error {
	names := make([]string, 0, len(m.modes))
	for name := range m.modes {
		names = append(names, name)
	}
	slices.Sort(names)
	var errs []error
	for _, name := range slices.Backward(names) {
		errs = append(errs, m.lower.Chmod(name, m.modes[name]))
	}
	return errors.Join(errs...)
}

// strip takes the notes of the overlay from a file of the upper folder, which
// its owner may have said is not to be written.
func (m *merging) strip(c ledger.Change) error {
	f, err := openRegular(m.upper, c.Path)
	if err != nil {
		return err
	}
	defer f.Close() // only read
	noted, err := m.marks.list(f)
	if err != nil || len(noted) == 0 {
		return err
	}
	if c.After.Mode&0o200 == 0 {
		err = f.Chmod(c.After.Mode | 0o200)
		defer f.Chmod(c.After.Mode) // as it was a moment ago
	}
	for _, note := range noted {
		if err == nil {
			err = m.marks.remove(f, note)
		}
	}
	return err
}

// move renames what is no folder from one open folder into another, in place of
// what is none there.
func move(from *os.Root, name string, to *os.Root, as string) error {
	source, err := from.Open(path.Dir(name))
	if err != nil {
		return err
	}
	defer source.Close() // only a handle
	target, err := to.Open(path.Dir(as))
	if err != nil {
		return err
	}
	defer target.Close() // only a handle
	err = syscall.Renameat(int(source.Fd()), path.Base(name), int(target.Fd()), path.Base(as))
	if err != nil {
		return &os.LinkError{Op: "rename", Old: name, New: as, Err: err}
	}
	return nil
}
