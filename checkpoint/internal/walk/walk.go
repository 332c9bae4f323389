// Package walk reaches the entries of a folder without ever following a link.
package walk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/internal/disk"
)

// A Walker reaches the entries of a folder by their paths without ever
// following a link: it goes from folder to folder, and checks at every step
// that the folder it opened is what stands there. It keeps the folders on the
// way to the last path open, in very deep trees only some of them. It is not
// safe for concurrent use.
type Walker struct {
	Root  *disk.Root // closed by Close
	steps []step     // below the root, outermost first
}

// A step is an open folder on the way to the last path.
type step struct {
	path  string // of the folder
	depth int
	dir   *disk.Root
}

// How many folders stay open. Trees may be deeper than a process may have files
// open; then the way from the nearest open one is gone again.
const (
	keepAll   = 64 // so many levels are all kept open
	keepEvery = 32 // then one of so many
)

// Open begins at dir, with the Disk of ctx.
func Open(ctx context.Context, dir string) (*Walker, error) {
	root, err := disk.From(ctx).OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Walker{Root: root}, nil
}

// At returns the folder that holds path, and the name of path in it. The folder
// is good until the next call.
func (w *Walker) At(path string) (dir *disk.Root, name string, err error) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return w.Root, path, nil
	}
	dir, err = w.folder(path[:i])
	return dir, path[i+1:], err
}

// folder opens the folder at path.
func (w *Walker) folder(path string) (*disk.Root, error) {
	for len(w.steps) > 0 && !within(path, w.last().path) {
		w.pop()
	}
	here, at, depth := w.Root, "", 0
	if len(w.steps) > 0 {
		here, at, depth = w.last().dir, w.last().path, w.last().depth
	}
	for at != path {
		next, rest := path, path[len(at):]
		rest = strings.TrimPrefix(rest, "/")
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			next = path[:len(path)-len(rest)+i]
		}
		name := next[strings.LastIndexByte(next, '/')+1:]
		dir, err := StepInto(here, name)
		if err != nil {
			return nil, fmt.Errorf("folder %q: %w", next, err)
		}
		if n := len(w.steps); n > 0 && depth > keepAll && depth%keepEvery != 0 {
			w.pop()
		}
		depth++
		w.steps = append(w.steps, step{next, depth, dir})
		here, at = dir, next
	}
	return here, nil
}

// within reports whether path is dir or lies below it.
func within(path, dir string) bool {
	return strings.HasPrefix(path, dir) && (len(path) == len(dir) || path[len(dir)] == '/')
}

func (w *Walker) last() step { return w.steps[len(w.steps)-1] }

// pop closes the innermost folder.
func (w *Walker) pop() {
	w.last().dir.Close() // only a handle: there is nothing to lose
	w.steps = w.steps[:len(w.steps)-1]
}

// Forget closes the folder at path, and all below it, so that it can be removed
// or changed.
func (w *Walker) Forget(path string) {
	for len(w.steps) > 0 && within(w.last().path, path) {
		w.pop()
	}
}

// Close lets go of all folders.
func (w *Walker) Close() error {
	for len(w.steps) > 0 {
		w.pop()
	}
	return w.Root.Close()
}

// ErrSwapped says that an entry is another one than it was a moment ago.
var ErrSwapped = errors.New("somebody put something else in its place meanwhile")

// StepInto opens the folder called name in dir, if it is one.
func StepInto(dir *disk.Root, name string) (*disk.Root, error) {
	there, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !there.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: file.ErrNotFolder}
	}
	sub, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := sub.Stat(".")
	if err == nil && !os.SameFile(there, opened) {
		err = ErrSwapped
	}
	if err != nil {
		return nil, errors.Join(err, sub.Close())
	}
	return sub, nil
}
