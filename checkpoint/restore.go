package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// Restore makes dir hold want exactly (content, mode, links, empty folders,
// times of modification, those of folders too), where have is what it holds
// now: scan it first. It is idempotent and can be repeated after a crash, from
// a new scan; what it wrote is not synced, so repeat it after a power cut too.
//
// Paths outside want and have, the ignored ones among them, and paths that want
// or have tracks, are left alone. So a folder that has to go stays, as it is,
// while something of that kind is in it; where want has something else at its
// path, that is an error. Special files that are in have only are removed,
// those in both are left alone. One that is in want only is made again if it
// was a FIFO, on Linux; else that is an error, as a socket or a device cannot
// be.
//
// have may come from a tolerant scan (scan.Scanner.Tolerant). What that could
// not read is opened to its owner first, with all below it that is not left
// alone, and dir is scanned once more; what cannot be read even then, for it is
// too large or somebody else's, is removed or replaced as it is. A folder like
// that goes only if it is empty.
//
// Nothing is touched if a content is missing (ErrNotFound). Otherwise an error
// about one path does not keep it from mending the others; all errors are
// joined, and name their paths. Links are never followed. Owners, extended
// attributes and which names were hard links of one file are not restored, and
// of links the time of modification on Linux only.
func (s *Store) Restore(ctx context.Context, dir string, want, have *ledger.Tree) error {
	if ctx.Err() != nil {
		return fmt.Errorf("checkpoint: restore %q: %w", dir, context.Cause(ctx))
	}
	w, err := openWalker(ctx, dir)
	if err != nil {
		return fmt.Errorf("checkpoint: restore %q: %w", dir, err)
	}
	r := &restorer{store: s, dir: dir, w: w, want: want, have: have, touched: map[string]bool{},
		failed: map[string]bool{}}
	r.plan()
	if err = r.haveContents(ctx); err == nil {
		err = r.readRest(ctx, dir)
	}
	if err == nil {
		err = r.run(ctx)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return fmt.Errorf("checkpoint: restore %q: %w", dir, err)
	}
	return nil
}

// A restorer is one restore.
type restorer struct {
	store      *Store
	dir        string
	w          *walker
	want, have *ledger.Tree

	unread  map[string]bool // paths of have of which nobody knows what they hold
	remove  []ledger.Entry  // of have, sorted
	mend    []mending       // sorted
	touched map[string]bool // folders whose mode and times are to be set at the end
	failed  map[string]bool // paths that could not be mended
	rootWas fs.FileMode     // mode of dir, if it had to be changed
	errs    []error
	buf     []byte
}

// A mending is an entry of want that have does not have like that.
type mending struct {
	ledger.Entry
	content bool // kind, content or target differ
}

// plan compares want and have.
func (r *restorer) plan() {
	r.unread, r.remove, r.mend = map[string]bool{}, nil, nil
	for _, path := range r.have.Unread() {
		r.unread[path] = true
	}
	if len(r.unread) == 0 {
		r.planDifferences()
		return
	}
	for h := range r.have.All() {
		if e, ok := r.want.Lookup(h.Path); (!ok || e.Kind != h.Kind) && !r.leaveAlone(h.Path) {
			r.remove = append(r.remove, h)
		}
	}
	for e := range r.want.All() {
		if r.leaveAlone(e.Path) {
			continue
		}
		h, ok := r.have.Lookup(e.Path)
		switch {
		case !ok || r.unread[e.Path] || differ(h, e):
			r.mend = append(r.mend, mending{e, true})
		case e.Mode != h.Mode || !e.ModTime.Equal(h.ModTime):
			r.mend = append(r.mend, mending{e, false})
		}
	}
}

// planDifferences is plan where all of have is known: what both trees share is
// not looked at.
func (r *restorer) planDifferences() {
	for _, c := range ledger.Touched(r.have, r.want) {
		h, e := c.Before, c.After
		if r.leaveAlone(c.Path) {
			continue
		}
		if e == nil || h != nil && h.Kind != e.Kind {
			r.remove = append(r.remove, *h)
		}
		if e != nil {
			r.mend = append(r.mend, mending{*e, h == nil || differ(*h, *e)})
		}
	}
}

// differ reports whether two entries differ in more than mode and time.
func differ(h, e ledger.Entry) bool {
	e.Mode, e.ModTime, h.Mode, h.ModTime = 0, time.Time{}, 0, time.Time{}
	return !h.Same(e)
}

func (r *restorer) leaveAlone(path string) bool {
	return r.want.Tracked(path) || r.have.Tracked(path)
}

// haveContents reports all contents that are needed and not kept.
func (r *restorer) haveContents(ctx context.Context) error {
	var errs []error
	for _, m := range r.mend {
		if m.Kind != ledger.File || !m.content || r.store.knows(m.Digest) || r.store.adopts(m.Digest) {
			continue
		}
		has, err := r.store.blobs.Has(ctx, m.Digest)
		if err != nil {
			return err
		}
		if has {
			continue
		}
		content, err := r.store.blobs.Get(ctx, m.Digest) // Has may be too cautious
		if err == nil {
			err = content.Close()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%q: %w", m.Path, err))
		}
	}
	return errors.Join(errs...)
}

func (r *restorer) run(ctx context.Context) error {
	for _, e := range slices.Backward(r.remove) {
		if ctx.Err() != nil {
			break
		}
		r.note(e.Path, r.removeEntry(e))
	}
	r.mendRest(ctx, r.mendFolders(ctx))
	// Also when it was cancelled: folders that were opened are closed again.
	r.finish()
	if ctx.Err() != nil {
		r.errs = append(r.errs, context.Cause(ctx))
	}
	return errors.Join(r.errs...)
}

// mendFolders mends the folders, outer ones first, and returns all that is no
// folder.
func (r *restorer) mendFolders(ctx context.Context) (others []mending) {
	for _, m := range r.mend {
		if m.Kind != ledger.Dir {
			others = append(others, m)
		} else if ctx.Err() == nil {
			r.mendOne(ctx, m)
		}
	}
	return others
}

// mendOne mends m, if its folder could be mended.
func (r *restorer) mendOne(ctx context.Context, m mending) {
	if parent, _ := cutPath(m.Path); r.failed[parent] {
		r.failed[m.Path] = true // its folder's error says it all
		return
	}
	r.note(m.Path, r.mendEntry(ctx, m))
}

func (r *restorer) note(path string, err error) {
	if err != nil {
		r.failed[path] = true
		r.errs = append(r.errs, fmt.Errorf("%q: %w", path, err))
	}
}

// cutPath splits a path into its folder, "" for the root, and its name there.
func cutPath(path string) (folder, name string) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}

// try does something to the entry at path, in its folder. Where permission is
// missing it opens the folder up and tries once more.
func (r *restorer) try(path string, do func(dir *disk.Root, name string) error) error {
	dir, name, err := r.w.at(path)
	if err == nil {
		err = do(dir, name)
	}
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	folder, _ := cutPath(path)
	if uerr := r.openUp(folder); uerr != nil {
		return errors.Join(err, uerr)
	}
	if dir, name, err = r.w.at(path); err != nil {
		return err
	}
	if err = do(dir, name); errors.Is(err, fs.ErrPermission) && (immutable(dir, name) || immutable(dir, ".")) {
		return fmt.Errorf("%w: %w", errImmutable, err)
	}
	return err
}

// openUp lets the owner read, write and search folder and all above it. finish
// undoes that.
func (r *restorer) openUp(folder string) error {
	if err := r.openRootUp(); err != nil || folder == "" {
		return err
	}
	for i := 0; i < len(folder); i++ {
		next := folder
		if j := strings.IndexByte(folder[i:], '/'); j >= 0 {
			next = folder[:i+j]
		}
		dir, name, err := r.w.at(next)
		if err != nil {
			return err
		}
		info, err := dir.Lstat(name)
		if err != nil {
			return err
		}
		if info.IsDir() && info.Mode().Perm()&0o700 != 0o700 {
			if err := dir.Chmod(name, info.Mode()|0o700); err != nil {
				return err
			}
			r.touched[next] = true
		}
		i = len(next)
	}
	return nil
}

func (r *restorer) openRootUp() error {
	info, err := r.w.root.Stat(".")
	if err != nil || info.Mode().Perm()&0o700 == 0o700 {
		return err
	}
	if err := r.w.root.Chmod(".", info.Mode()|0o700); err != nil {
		return err
	}
	r.rootWas = info.Mode()
	return nil
}

// finish sets mode and times of the folders that were touched, inner ones
// first.
func (r *restorer) finish() {
	paths := make([]string, 0, len(r.touched))
	for p := range r.touched {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for _, p := range slices.Backward(paths) {
		if p == "" || r.failed[p] {
			continue
		}
		r.note(p, r.finishFolder(p))
	}
	if r.rootWas != 0 {
		r.note(".", r.w.root.Chmod(".", r.rootWas))
	}
}

func (r *restorer) finishFolder(path string) error {
	e, wanted := r.want.Lookup(path)
	if !wanted || e.Kind != ledger.Dir || r.leaveAlone(path) {
		// It stays for the sake of what it holds: give it its mode back.
		if e, wanted = r.have.Lookup(path); !wanted || e.Kind != ledger.Dir {
			return nil
		}
		wanted = false
	}
	err := r.try(path, func(dir *disk.Root, name string) error {
		info, err := dir.Lstat(name)
		switch {
		case err != nil:
			return err
		case !info.IsDir():
			return &fs.PathError{Op: "open", Path: name, Err: file.ErrNotFolder}
		case modeOf(info) != e.Mode:
			if err := dir.Chmod(name, e.Mode); err != nil {
				return err
			}
		}
		if !wanted {
			return nil
		}
		return setTime(dir, name, e.ModTime)
	})
	if !wanted && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, file.ErrNotFolder)) {
		return nil // it went, and perhaps something else came
	}
	return err
}
