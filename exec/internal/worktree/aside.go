package worktree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/ledger"
)

// Aside is what a plan ignores, or watches by its stamps only: folders of
// packages and of builds, mostly. It is in no tree with its contents. A layer
// has a copy of it all the same, so that a step which failed leaves nothing
// there; what an accepted step wrote there is delivered without being kept.
//
// What the copy held when it was last the same as the workspace is known by
// stamps, which lie in a file beside the journal: so another controller can
// tell what a step wrote from what a person did.

const asideName = "aside"

// A Stamp is what tells one state of an entry from another without reading it.
type Stamp struct {
	Mode fs.FileMode `json:"m"`
	Size int64       `json:"s,omitempty"`
	Time int64       `json:"t,omitempty"` // of modification, in nanoseconds; 0 for folders
	To   string      `json:"to,omitempty"`
	// Of regular files, where the system says: who writes may set Time, not these.
	Changed int64  `json:"c,omitempty"`
	Node    uint64 `json:"n,omitempty"`
}

// same reports whether two stamps tell of the same state; of those of two folders
// only what both say counts.
func (s Stamp) same(o Stamp) bool {
	if s.Changed == 0 || o.Changed == 0 {
		s.Changed, s.Node, o.Changed, o.Node = 0, 0, 0, 0
	}
	return s == o
}

// An Aside is what lies there in the folder of one run.
type Aside struct {
	of    *Worktree
	known map[string]Stamp // what copy and workspace both held last; nil: see last
	begun map[string]Stamp // what the copy held when the attempt in hand began
	quiet bool             // nobody wrote there since known was noted
}

// Aside is what the folder holds in no tree.
func (w *Worktree) Aside() *Aside {
	if w.aside.of != w { // lanes that are opened at once only read it
		w.aside.of = w
	}
	return &w.aside
}

// any reports whether the plan has any such paths.
func (a *Aside) any() bool {
	scope := &a.of.Scanner.Scope
	return a.of.Layered() && len(scope.Ignore)+len(scope.Stamps) > 0
}

// outside reports whether a path is in no tree with its content.
func outside(scope *ledger.Scope, path string) bool {
	level := scope.Level(path)
	return level == ledger.Ignored || level == ledger.Stamps
}

// stamps are those of all entries aside in a folder, by path with slashes.
func (a *Aside) stamps(dir string) (map[string]Stamp, error) {
	found, scope := map[string]Stamp{}, &a.of.Scanner.Scope
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil && path == dir:
			return err
		case err != nil:
			return nil // what cannot be read is no matter of ours
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == "." {
			return err
		}
		rel = filepath.ToSlash(rel)
		if rel == ".git" || rel == ".planlock" {
			return skip(d)
		}
		if !outside(scope, rel) || slices.Contains(scope.Own, rel) {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil // it is gone
		}
		s := Stamp{Mode: info.Mode()}
		switch {
		case s.Mode.IsRegular():
			s.Size, s.Time = info.Size(), info.ModTime().UnixNano()
			identify(&s, info)
		case s.Mode&fs.ModeSymlink != 0:
			s.To, _ = os.Readlink(path) // gone: it differs
		case !s.Mode.IsDir():
			return nil // nothing that can be delivered
		}
		found[rel] = s
		return nil
	})
	return found, err
}

func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// Enter notes what the copy holds aside, when it was just made.
func (a *Aside) Enter() error {
	if !a.any() {
		return nil
	}
	now, err := a.stamps(a.of.Dir)
	if err != nil {
		return err
	}
	return a.Know(now)
}

// Know notes what copy and workspace both hold aside.
func (a *Aside) Know(now map[string]Stamp) error {
	a.known, a.quiet = now, a.of.Layers != nil
	text, err := json.Marshal(now)
	if name := filepath.Join(a.of.RunDir(), asideName); err == nil {
		// Whoever goes on has the one before, or this one, and never a part.
		if err = os.WriteFile(name+".new", text, 0o600); err == nil {
			err = os.Rename(name+".new", name)
		}
	}
	if err != nil {
		return fmt.Errorf("exec: what the copy holds besides the tree cannot be noted: %w", err)
	}
	return nil
}

// last is what both held last; nil if nobody knows.
func (a *Aside) last() map[string]Stamp {
	if a.known == nil {
		text, err := os.ReadFile(filepath.Join(a.of.RunDir(), asideName))
		if err != nil || json.Unmarshal(text, &a.known) != nil {
			a.known = nil
		}
	}
	return a.known
}

// Written are the paths aside that steps wrote in the copy since it was
// the same as the workspace, sorted, and what the copy holds now.
func (a *Aside) Written() (written []string, now map[string]Stamp, err error) {
	if !a.any() || a.quiet {
		return nil, nil, nil
	}
	known := a.last()
	if now, err = a.stamps(a.of.Dir); err != nil || known == nil {
		return nil, now, err
	}
	return differing(known, now), now, nil
}

// differing are the paths of which two states have not the same, sorted.
func differing(was, now map[string]Stamp) (paths []string) {
	for path, s := range now {
		if before, ok := was[path]; !ok || !before.same(s) {
			paths = append(paths, path)
		}
	}
	for path := range was {
		if _, ok := now[path]; !ok {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// Drop takes from the copy what an attempt wrote there that failed: it
// holds again what the workspace does.
func (a *Aside) Drop(ctx context.Context) error {
	written, _, err := a.Written()
	if err != nil || len(written) == 0 {
		return err
	}
	for i, path := range written {
		if i > 0 && within(path, written[:i]) {
			continue // with the folder that holds it
		}
		if err := layer.Renew(ctx, a.of.Root, a.of.Dir, filepath.FromSlash(path)); err != nil {
			return fmt.Errorf("exec: what a step left besides the tree cannot be dropped: %w", err)
		}
	}
	return a.Enter()
}

// within reports whether a path lies in one of some.
func within(path string, some []string) bool {
	return slices.ContainsFunc(some, func(p string) bool {
		return len(path) > len(p) && path[len(p)] == '/' && path[:len(p)] == p
	})
}

// Still reports whether the workspace holds at a path aside what it held
// when the copy was the same.
func (a *Aside) Still(path string) bool {
	info, err := LstatIn(a.of.Root, path)
	was, known := a.known[path]
	if err != nil {
		return !known && errors.Is(err, fs.ErrNotExist)
	}
	now := Stamp{Mode: info.Mode()}
	switch {
	case !known:
		return false
	case now.Mode.IsRegular():
		now.Size, now.Time = info.Size(), info.ModTime().UnixNano()
	case now.Mode&fs.ModeSymlink != 0:
		now.To, _ = os.Readlink(filepath.Join(a.of.Root, filepath.FromSlash(path)))
	}
	return now.same(was) // now is of another folder
}
