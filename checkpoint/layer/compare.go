package layer

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// A walk of an upper folder says what is different in the merged folder from
// what lies below it. What only lies in the upper folder, and is as it was, is
// no difference.
//
// It looks at what lies in the upper folder, and no further, but where a folder
// was removed, replaced or renamed.
type walk struct {
	ctx       context.Context
	workspace string
	marks     marks
	whole     bool // repositories are looked at as anything else
	below     below
	found     Difference
	origins   map[string]string // of files that were moved with their folder: where they lie below
}

// folder walks a folder of the upper one. Below its place lies origin; from is
// false if nothing does.
func (w *walk) folder(in *os.Root, at, origin string, from bool) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	f, err := in.Open(".")
	if err != nil {
		return fmt.Errorf("read %q: %w", at, err)
	}
	defer f.Close()
	if at != "." {
		if origin, from, err = w.origin(f, at, origin, from); err != nil {
			return err
		}
	}
	list, err := f.ReadDir(-1)
	if err != nil {
		return fmt.Errorf("read %q: %w", at, err)
	}
	there := make(map[string]bool, len(list)) // and whether it stands for something that is gone
	for _, e := range list {
		name := path.Join(at, e.Name())
		if w.leaves(name, e) {
			there[e.Name()] = true
			continue
		}
		if there[e.Name()], err = w.entry(in, e, name, path.Join(origin, e.Name()), from); err != nil {
			return err
		}
	}
	if from && origin == at {
		return nil
	}
	return w.elsewhere(at, origin, from, there)
}

// origin is the folder that lies below an open one of the upper folder.
func (w *walk) origin(f *os.File, at, origin string, from bool) (string, bool, error) {
	noted, err := w.noted(f, at)
	if err != nil {
		return "", false, err
	}
	opaque, redirect, err := w.marks.folder(f, noted)
	switch {
	case err != nil:
		return "", false, err
	case opaque:
		return "", false, nil
	case strings.HasPrefix(redirect, "/"):
		origin, from = redirect[1:], true
	case redirect != "":
		origin = path.Join(path.Dir(origin), redirect)
	}
	if !from {
		return "", false, nil
	}
	e, err := w.below.look(origin)
	return origin, err == nil && e != nil && e.Kind == ledger.Dir, err
}

// noted are the notes about an open file or folder. Attributes that are none
// are lost.
func (w *walk) noted(f *os.File, at string) (notes, error) {
	noted, others, err := w.marks.list(f)
	for _, name := range others {
		w.found.lose(at, "attribute %s", name)
	}
	return noted, err
}

// entry compares one entry of the upper folder, and reports whether it stands
// for one that is there.
func (w *walk) entry(in *os.Root, e fs.DirEntry, at, origin string, from bool) (there bool, err error) {
	info, err := e.Info()
	if err != nil {
		return false, err
	}
	gone := whiteout(info)
	var now *ledger.Entry
	if !gone {
		now, err = entryOf(in, e.Name(), at, info, func(f *os.File) error {
			noted, err := w.noted(f, at)
			gone = info.Size() == 0 && noted.has(whiteoutNote)
			return err
		})
	}
	switch {
	case err != nil:
		return true, fmt.Errorf("read %q: %w", at, err)
	case gone:
		return false, w.gone(at)
	}
	if err := w.compare(*now, info); err != nil || !info.IsDir() {
		return true, err
	}
	sub, err := in.OpenRoot(e.Name())
	if err != nil {
		return true, err
	}
	defer sub.Close()
	return true, w.folder(sub, at, origin, from)
}

// elsewhere compares what a folder has from somewhere else than its own place,
// or has no more from there. there are the names in the upper folder.
func (w *walk) elsewhere(at, origin string, from bool, there map[string]bool) error {
	if from {
		names, err := w.below.names(origin)
		if err != nil {
			return err
		}
		for _, name := range names {
			if _, upper := there[name]; upper {
				continue
			}
			there[name] = true
			if err := w.moved(path.Join(origin, name), path.Join(at, name)); err != nil {
				return err
			}
		}
	}
	names, err := w.below.names(at)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, seen := there[name]; !seen {
			if err := w.gone(path.Join(at, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// moved compares what was renamed with its folder, and lies below at origin.
func (w *walk) moved(origin, at string) error {
	e, err := w.below.look(origin)
	if err != nil || e == nil || w.reserved(at) {
		return err
	}
	now := *e
	now.Path = at
	w.origins[at] = origin
	if err := w.compare(now, nil); err != nil || now.Kind != ledger.Dir {
		return err
	}
	return w.elsewhere(at, origin, true, map[string]bool{})
}

// compare notes what stands at a path now, unless the same lies below. Info is
// of what lies in the upper folder, nil if that does not.
func (w *walk) compare(now ledger.Entry, info fs.FileInfo) error {
	before, err := w.below.look(now.Path)
	if err != nil {
		return err
	}
	changed := w.found.note(before, &now)
	if info != nil {
		w.owner(now.Path, info)
	}
	if before == nil {
		return nil
	}
	if changed && before.Kind == ledger.File {
		w.names(now.Path)
	}
	if before.Kind == ledger.Dir && now.Kind != ledger.Dir {
		return w.emptied(now.Path)
	}
	return nil
}

// gone notes that what lies below at a path, with all it holds, is there no
// more.
func (w *walk) gone(at string) error {
	before, err := w.below.look(at)
	if err != nil || before == nil || w.reserved(at) {
		return err
	}
	w.found.note(before, nil)
	if before.Kind != ledger.Dir {
		return nil
	}
	return w.emptied(at)
}

// emptied notes that nothing is there any more of what a folder held.
func (w *walk) emptied(at string) error {
	names, err := w.below.names(at)
	for _, name := range names {
		if err == nil {
			err = w.gone(path.Join(at, name))
		}
	}
	return err
}

// reserved reports whether a path is one of those that are never delivered.
func (w *walk) reserved(at string) bool {
	if w.whole {
		return at == own
	}
	return reserved(at)
}

// leaves reports whether an entry is none that is ever delivered, and notes it
// if somebody wrote there.
func (w *walk) leaves(at string, e fs.DirEntry) bool {
	if !w.reserved(at) {
		return false
	}
	if at != own || e.IsDir() { // what hides the controller's folder was made with the layer
		w.found.lose(at, notDelivered)
	}
	return true
}

// owner notes what an entry has that a delivery does not make: another owner
// than this process, unless it had that before, and several names.
func (w *walk) owner(at string, info fs.FileInfo) {
	uid, gid, names := owner(info)
	if names > 1 && info.Mode().IsRegular() {
		w.found.lose(at, "one file with %d names", names)
	}
	if uid == uint32(os.Geteuid()) && gid == uint32(os.Getegid()) {
		return
	}
	if was, err := os.Lstat(filepath.Join(w.workspace, filepath.FromSlash(at))); err == nil {
		if u, g, _ := owner(was); u == uid && g == gid {
			return
		}
	}
	w.found.lose(at, "owner %d:%d", uid, gid)
}

// names notes that a file which changed is one of several names in the
// workspace.
func (w *walk) names(at string) {
	was, err := os.Lstat(filepath.Join(w.workspace, filepath.FromSlash(at)))
	if err != nil || !was.Mode().IsRegular() {
		return
	}
	if _, _, names := owner(was); names > 1 {
		w.found.lose(at, "it was one file with %d names: the others keep what they have", names)
	}
}
