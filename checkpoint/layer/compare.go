package layer

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
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
	ctx     context.Context
	marks   marks
	below   *below
	found   []ledger.Change
	origins map[string]string // of what was moved with its folder: where it lies below
}

// compare compares an upper folder with the clone below it, which holds a tree.
// The origins are where in the clone lies what was moved with its folder.
func compare(ctx context.Context, upper, clone string, m marks, base *ledger.Tree) (
	changes []ledger.Change, origins map[string]string, err error) {
	top, err := os.OpenRoot(upper)
	if err != nil {
		return nil, nil, err
	}
	defer top.Close() // only a handle
	root, err := os.OpenRoot(clone)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close() // only a handle
	w := &walk{ctx: ctx, marks: m, origins: map[string]string{},
		below: &below{ctx: ctx, tree: base, root: root, folders: map[string]bool{}}}
	if err := w.folder(top, ".", ".", true); err != nil {
		return nil, nil, err
	}
	slices.SortFunc(w.found, func(a, b ledger.Change) int { return strings.Compare(a.Path, b.Path) })
	return w.found, w.origins, nil
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
		if name == own { // what hides the controller's folder was made with the layer
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
	noted, err := w.marks.list(f)
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
		now, err = entryOf(w.ctx, in, e.Name(), at, info, func(f *os.File) error {
			noted, err := w.marks.list(f)
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
	if err := w.compare(*now); err != nil || !info.IsDir() {
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
	if err != nil || e == nil {
		return err
	}
	now := *e
	now.Path = at
	w.origins[at] = origin
	if err := w.compare(now); err != nil || now.Kind != ledger.Dir {
		return err
	}
	return w.elsewhere(at, origin, true, map[string]bool{})
}

// compare notes what stands at a path now, unless the same lies below.
func (w *walk) compare(now ledger.Entry) error {
	before, err := w.below.look(now.Path)
	if err != nil {
		return err
	}
	w.note(before, &now)
	if before != nil && before.Kind == ledger.Dir && now.Kind != ledger.Dir {
		return w.emptied(now.Path)
	}
	return nil
}

// note takes a change in, unless both sides are the same. Build tools look at the
// times of files.
func (w *walk) note(before, after *ledger.Entry) {
	switch {
	case before == nil && after == nil:
	case before == nil:
		w.found = append(w.found, ledger.Change{Path: after.Path, Op: ledger.Created, After: after})
	case after == nil:
		w.found = append(w.found, ledger.Change{Path: before.Path, Op: ledger.Deleted, Before: before})
	case !before.Same(*after), after.Kind != ledger.Dir && after.Kind != ledger.Link && !after.ModTime.Equal(before.ModTime):
		w.found = append(w.found, ledger.Change{Path: after.Path, Op: ledger.Modified, Before: before, After: after})
	}
}

// gone notes that what lies below at a path, with all it holds, is there no
// more.
func (w *walk) gone(at string) error {
	before, err := w.below.look(at)
	if err != nil || before == nil {
		return err
	}
	w.note(before, nil)
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
