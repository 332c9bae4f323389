package restore

import (
	"io/fs"
	"time"

	"github.com/planlock/planlock/checkpoint/internal/walk"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// setFileStat gives an open file, which was just written, its mode and time.
func setFileStat(f *disk.File, e ledger.Entry) error {
	info, err := f.Stat() // writing may have taken bits of the mode away
	if err != nil {
		return err
	}
	// Asking costs less than setting, and most modes are right.
	if modeOf(info) != e.Mode {
		if err := f.Chmod(e.Mode); err != nil {
			return err
		}
	}
	return f.Chtimes(e.ModTime)
}

// setStat gives a file its mode and time.
func setStat(dir *disk.Root, name string, e ledger.Entry) error {
	info, err := dir.Lstat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return walk.ErrSwapped
	}
	if modeOf(info) != e.Mode {
		if err := dir.Chmod(name, e.Mode); err != nil {
			return err
		}
	}
	// Setting a time is a write of its own on most file systems.
	if info.ModTime().Equal(e.ModTime) {
		return nil
	}
	return setTime(dir, name, e.ModTime)
}

// setSpecialMode sets the mode of a FIFO, a socket or a device that is there
// already. Nothing opens it: that could wait for ever.
func setSpecialMode(dir *disk.Root, name string, e ledger.Entry) error {
	info, err := dir.Lstat(name)
	if err != nil || modeOf(info) == e.Mode {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return walk.ErrSwapped
	}
	return dir.Chmod(name, e.Mode)
}

// modeOf is the part of a mode that entries of trees have.
func modeOf(info fs.FileInfo) fs.FileMode {
	return info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
}

// setTime sets the time of modification, and leaves that of the last access.
func setTime(dir *disk.Root, name string, t time.Time) error {
	return dir.Chtimes(name, t)
}
