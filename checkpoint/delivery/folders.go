package delivery

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// finishFolders gives folders their modes and times, inner ones first: what is
// made in a folder changes those.
func (c *courier) finishFolders() error {
	for i := len(c.d.changes) - 1; i >= 0; i-- {
		change := &c.d.changes[i]
		if change.After == nil || change.After.Kind != ledger.Dir || c.outcomes[i].conflict {
			continue
		}
		if err := c.finishFolder(i, change); err != nil {
			return about(change.Path, err)
		}
	}
	return nil
}

// closeFolders closes the folders that were opened.
func (c *courier) closeFolders() error {
	var errs []error
	for _, o := range slices.Backward(c.opened) {
		if err := c.closeAgain(o); err != nil {
			errs = append(errs, about(string(o.Folder), err))
		}
	}
	return errors.Join(errs...)
}

// finishFolder gives a folder the mode and time that it is to have, once what
// belongs into it is there. A folder that somebody else changed is a conflict.
func (c *courier) finishFolder(i int, change *ledger.Change) error {
	err := c.try(change.Path, func(dir *disk.Root, name string) error {
		seen, err := glance(dir, name, change.Path)
		if err != nil {
			return err
		}
		switch {
		case seen == nil || seen.Kind != ledger.Dir:
			c.outcomes[i] = conflict(seen)
			return nil
		case same(seen, change.After):
		case change.Before == nil || change.Before.Kind != ledger.Dir:
			if !same(seen, mine(change)) {
				c.outcomes[i] = conflict(seen)
				return nil
			}
		case !same(seen, c.asBefore(change)):
			c.outcomes[i] = conflict(seen)
			return nil
		}
		c.outcomes[i].touched = true
		c.forgetOpened(change.Path)
		if seen.Mode != change.After.Mode {
			if err := dir.Chmod(name, change.After.Mode); err != nil {
				return err
			}
		}
		if change.After.ModTime.IsZero() || change.After.ModTime.Equal(seen.ModTime) {
			return nil
		}
		return dir.Chtimes(name, change.After.ModTime)
	})
	var way *wayError
	if errors.As(err, &way) {
		c.outcomes[i] = conflict(way.found)
		return nil
	}
	return err
}

// closeAgain gives a folder that was opened its mode back.
func (c *courier) closeAgain(o opened) error {
	path := string(o.Folder)
	dir, name, err := c.at(path)
	if path == "" {
		name = "."
	}
	var way *wayError
	if errors.As(err, &way) {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (!info.IsDir() || info.Mode()&modeBits != o.Was|0o700) {
		return nil // somebody changed it since
	}
	if err != nil {
		return err
	}
	return dir.Chmod(name, o.Was)
}
