package hold

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/internal/disk"
)

// Whoever holds a workspace has its lock file alone, and shares those of all
// workspaces that it lies in. So of two of which one lies in the other the
// second to come is refused, and two that lie beside each other are not. A
// workspace that nobody ever held has no lock file that could be shared:
// whoever holds it first looks at all that lies below. The name in a lock file
// says that somebody has held the workspace. It says to which file it was
// written, too: a lock file that was copied here, with a whole folder or out of
// a backup, is one that nobody below could have shared.

// lookAround returns an error if somebody holds a workspace that dir lies in,
// or that lies in dir. above are the lock files of those that dir lies in,
// which the caller shares from then on, also after an error. own is the lock
// file of dir.
func lookAround(ctx context.Context, own *disk.File, dir string) (above []*os.File, err error) {
	real, err := filepath.Abs(dir)
	if err != nil {
		return above, cannotHold(dir, err)
	}
	if real, err = filepath.EvalSymlinks(real); err != nil {
		return above, cannotHold(dir, err)
	}
	for up := real; filepath.Base(up) != ownFolder && filepath.Dir(up) != up; {
		up = filepath.Dir(up)
		f := openLock(up)
		if f == nil {
			continue
		}
		held, err := file.Share(f)
		if held {
			named := &checkpoint.HeldError{Dir: up, Holder: nameHolder(ctx, f), For: dir}
			return above, errors.Join(named, f.Close())
		}
		if err != nil { // the system cannot do that here
			_ = f.Close()
			continue
		}
		above = append(above, f)
	}
	info, err := own.Stat()
	if err != nil {
		return above, cannotHold(dir, err)
	}
	if last := readHolder(own); last != nil && last.File == file.Inode(info) {
		return above, nil // who held a workspace below since the name was written shares its file
	}
	return above, heldBelow(ctx, real, dir)
}

// openLock opens the lock file of a folder; nil where there is none that may be
// read.
func openLock(dir string) *os.File {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDONLY|file.NoWait, 0)
	if err != nil {
		return nil
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil
	}
	return f
}

// heldBy says who keeps this process from locking f, the lock file of dir.
func heldBy(ctx context.Context, f *disk.File, dir string) error {
	if held, err := file.Share(f.OS()); !held && err == nil { // it is only shared
		if err := file.Unlock(f.OS()); err != nil {
			return cannotHold(dir, err)
		}
		if err := heldBelow(ctx, dir, dir); err != nil {
			return err
		}
		return &checkpoint.HeldError{Dir: dir, Holder: "a process that works in a folder below it"}
	}
	return &checkpoint.HeldError{Dir: dir, Holder: nameHolder(ctx, f)}
}

// heldBelow returns a *checkpoint.HeldError for the first workspace below real
// that somebody holds. What cannot be read is left out.
func heldBelow(ctx context.Context, real, dir string) error {
	return filepath.WalkDir(real, func(path string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil || !e.IsDir():
			return nil
		case e.Name() != ownFolder:
			return nil
		}
		if below := filepath.Dir(path); below != real {
			if f := openLock(below); f != nil {
				defer f.Close() // only read
				if held, err := file.Share(f); held && err == nil {
					return &checkpoint.HeldError{Dir: below, Holder: nameHolder(ctx, f), For: dir}
				}
			}
		}
		return fs.SkipDir
	})
}
