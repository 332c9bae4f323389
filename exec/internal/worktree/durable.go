package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// Executors sync nothing, and neither does a restore: while a run goes on, the
// journal and the store alone are durable, and a power cut may take from the
// workspace whatever was written last. So whoever takes the run up after one
// restores the tree that was accepted. When the controller lets go, nobody
// will: then what the run wrote is synced first.

// Unsynced is what a run wrote and may not be durable, by folder.
type Unsynced struct {
	of      *Worktree
	written map[string]*writing
}

// writing is what was written in a folder.
type writing struct {
	all   bool // nobody knows what
	paths map[string]bool
}

// Unsynced is what the run wrote and may not be durable.
func (w *Worktree) Unsynced() *Unsynced {
	w.unsynced.of = w
	return &w.unsynced
}

// in is what was written in a folder.
func (u *Unsynced) in(dir string) *writing {
	if u.written == nil {
		u.written = map[string]*writing{}
	}
	if u.written[dir] == nil {
		u.written[dir] = &writing{paths: map[string]bool{}}
	}
	return u.written[dir]
}

// Note notes that entries of a folder came, went or were written. A clone is
// made anew after a power cut, so that nothing of it needs to be durable.
func (u *Unsynced) Note(dir string, changes []ledger.Change) {
	if u.of.Layered() && dir == u.of.Dir {
		return
	}
	written := u.in(dir)
	for _, c := range changes {
		written.paths[c.Path] = true
	}
}

// NoteAll notes that anything in a folder may have been written.
func (u *Unsynced) NoteAll(dir string) {
	if !u.of.Layered() || dir != u.of.Dir {
		u.in(dir).all = true
	}
}

// PowerWent reports whether the machine started anew since somebody had the run
// in hand and did not let go of it: then the workspace may have lost something.
func PowerWent(ctx context.Context, run *history.Run) bool {
	before, now := run.Boot, disk.From(ctx).Boot()
	return before != "" && now != "" && before != now && run.Paused == nil
}

// ComeToRest makes durable what the run wrote, before it pauses or ends. A
// store that was taken away meanwhile is an error. One that cannot be synced
// now is none: what it has not synced yet is in the journal too.
func (w *Worktree) ComeToRest(ctx context.Context) error {
	if err := w.Rec.Store.Sync(context.WithoutCancel(ctx)); errors.Is(err, checkpoint.ErrReplaced) {
		return fmt.Errorf("exec: what the run kept is gone: %w", err)
	}
	return w.Unsynced().Sync(ctx)
}

// Sync syncs what the run wrote in the workspace; with only, in those
// folders.
func (u *Unsynced) Sync(ctx context.Context, only ...string) error {
	ctx = context.WithoutCancel(ctx)
	for _, dir := range slices.Sorted(maps.Keys(u.written)) {
		if len(only) > 0 && !slices.Contains(only, dir) {
			continue
		}
		root, err := disk.From(ctx).OpenRoot(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the clone of a run that is over
		}
		if err != nil {
			return fmt.Errorf("exec: %s cannot be synced: %w", dir, err)
		}
		written := u.written[dir]
		if written.all {
			tree, err := u.of.Tolerant().Scan(ctx, dir, nil)
			if err != nil {
				return errors.Join(fmt.Errorf("exec: %s cannot be synced: %w", dir, err), root.Close())
			}
			for entry := range tree.All() {
				written.paths[entry.Path] = true
			}
		}
		lost, err := written.sync(root)
		if len(lost) > 0 {
			err = errors.Join(err, u.putAgain(ctx, root, dir, lost))
		}
		if err = errors.Join(err, root.Close()); err != nil {
			return fmt.Errorf("exec: %s cannot be synced: %w", dir, err)
		}
		delete(u.written, dir)
	}
	return nil
}

// sync syncs files, and then the folders that hold their names. lost are the
// files whose sync failed.
func (written *writing) sync(root *disk.Root) (lost []string, err error) {
	folders := map[string]bool{".": true}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(written.paths)) {
		for up := path.Dir(name); !folders[up]; up = path.Dir(up) {
			folders[up] = true
		}
		folder, err := syncEntry(root, name)
		if folder {
			folders[name] = true
		}
		if err != nil {
			lost = append(lost, name)
			errs = append(errs, err)
		}
	}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(folders))) {
		err := root.SyncFolder(filepath.FromSlash(name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) && !noFolder(root, name) {
			errs = append(errs, err)
		}
	}
	return lost, errors.Join(errs...)
}

// syncEntry syncs a file, and reports whether it is a folder instead. What is
// gone, or closed to us, is left alone.
func syncEntry(root *disk.Root, name string) (folder bool, err error) {
	name = filepath.FromSlash(name)
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
		return false, nil
	case err != nil:
		if noFolder(root, path.Dir(filepath.ToSlash(name))) {
			err = nil
		}
		return false, err
	case !info.Mode().IsRegular():
		return info.IsDir(), nil
	}
	flags := os.O_RDONLY
	if runtime.GOOS == "windows" { // syncs only what can be written
		flags = os.O_RDWR
	}
	f, err := root.OpenFile(name, flags, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return false, errors.Join(f.Sync(), f.Close())
}

// noFolder reports whether something else than a folder, such as a link, stands
// at name or above it. What the run wrote in a folder of that name is gone
// then, and what lies where a link leads is not the run's.
func noFolder(root *disk.Root, name string) bool {
	for i := 0; i < len(name); i++ {
		next := name
		if j := strings.IndexByte(name[i:], '/'); j >= 0 {
			next = name[:i+j]
		}
		info, err := root.Lstat(filepath.FromSlash(next))
		if err != nil {
			return false
		}
		if !info.IsDir() {
			return true
		}
		i = len(next)
	}
	return false
}

// putAgain removes files whose sync failed, so that they are made anew from the
// store when the run is taken up: the system may hold them for synced now, and
// their contents may never reach the disk.
func (u *Unsynced) putAgain(ctx context.Context, root *disk.Root, dir string, names []string) error {
	if dir == u.of.Dir { // else it is delivered again, which the journal says already
		if err := u.of.Rec.Record(ctx, history.Where{}, &history.RestoreBegun{To: u.of.Rec.Run.Tree}); err != nil {
			return err
		}
	}
	var errs []error
	for _, name := range names {
		if err := root.Remove(filepath.FromSlash(name)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
