package hold

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/internal/file"
)

// Whoever holds a workspace has its folder and its lock file alone, and shares
// those of all folders that it lies in. So of two of which one lies in the other
// the second to come is refused, and two that lie beside each other are not.
//
// Where folders cannot be locked, a workspace that nobody ever held has nothing
// that could be shared: whoever holds it first looks at all that lies below. The
// name in a lock file says that somebody has held the workspace. It says to which
// file it was written, too: a lock file that was copied here, with a whole folder
// or out of a backup, is one that nobody below could have shared.

// lookAround returns an error if somebody holds a workspace that dir lies in,
// or that lies in dir. It writes nothing.
func (h *Held) lookAround(ctx context.Context, dir string) error {
	real, err := filepath.Abs(dir)
	if err != nil {
		return cannotHold(dir, err)
	}
	if real, err = filepath.EvalSymlinks(real); err != nil {
		return cannotHold(dir, err)
	}
	for up := real; filepath.Base(up) != ownFolder && filepath.Dir(up) != up; {
		up = filepath.Dir(up)
		shared, held := share(up)
		h.above = append(h.above, shared...)
		if held {
			return &checkpoint.HeldError{Dir: up, Holder: nameHolder(ctx, up), For: dir}
		}
	}
	if h.folder != nil || wasHeld(real) {
		return nil // who holds a workspace below shares what this one has
	}
	return heldBelow(ctx, real, dir)
}

// share shares the folder dir and its lock file, as far as they may be read and
// the system can do that. held reports that somebody has one of them alone.
func share(dir string) (shared []*os.File, held bool) {
	folder, err := os.Open(dir)
	if err != nil {
		folder = nil
	}
	for _, f := range []*os.File{folder, openLock(dir)} {
		if f == nil {
			continue
		}
		switch alone, err := file.Share(f); {
		case alone || err != nil:
			held = held || alone
			_ = f.Close() // only read
		default:
			shared = append(shared, f)
		}
	}
	return shared, held
}

// wasHeld reports whether the lock file of dir is one that somebody held.
func wasHeld(dir string) bool {
	f := openLock(dir)
	if f == nil {
		return false
	}
	defer f.Close() // only read
	info, err := f.Stat()
	last := readHolder(f)
	return err == nil && last != nil && last.File == file.Inode(info)
}

// someoneBelow names a holder of whom nothing is known but that the folder dir is
// shared with it.
const someoneBelow = "a process that works in a folder below it"

// glances bounds the wait for those who share a workspace for a moment, to see
// who holds it (see [Holder]).
const glances = 200 * time.Millisecond

// lockOrName locks f, the folder dir or its lock file, or says by whom it is held.
// Whoever held it may have let go while it was asked who that is, and who looks
// has it for a moment; both look like somebody below who cannot be found: so that
// is asked again.
func lockOrName(ctx context.Context, f *os.File, dir string) (by, err error) {
	for limit := time.Now().Add(glances); ; time.Sleep(time.Millisecond) {
		held, err := lock(ctx, f, dir)
		if !held {
			return nil, err
		}
		by = heldBy(ctx, f, dir)
		if e := (*checkpoint.HeldError)(nil); !errors.As(by, &e) || e.Holder != someoneBelow || time.Now().After(limit) {
			return by, nil
		}
	}
}

// heldBy says who keeps this process from locking f, the folder dir or its lock
// file.
func heldBy(ctx context.Context, f *os.File, dir string) error {
	if held, err := file.Share(f); !held && err == nil { // it is only shared
		if err := file.Unlock(f); err != nil {
			return cannotHold(dir, err)
		}
		if err := heldBelow(ctx, dir, dir); err != nil {
			return err
		}
		return &checkpoint.HeldError{Dir: dir, Holder: someoneBelow}
	}
	return &checkpoint.HeldError{Dir: dir, Holder: nameHolder(ctx, dir)}
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
			shared, held := share(below)
			for _, f := range shared {
				_ = f.Close() // only read
			}
			if held {
				return &checkpoint.HeldError{Dir: below, Holder: nameHolder(ctx, below), For: dir}
			}
		}
		return fs.SkipDir
	})
}
