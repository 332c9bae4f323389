package checkpoint

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

// A walker reaches the entries of a folder by their paths without ever
// following a link: it goes from folder to folder, and checks at every step
// that the folder it opened is what stands there. It keeps the folders on the
// way to the last path open, in very deep trees only some of them. It is not
// safe for concurrent use.
type walker struct {
	root  *disk.Root
	steps []walkStep // below the root, outermost first
}

type walkStep struct {
	path  string // of the folder
	depth int
	dir   *disk.Root
}

const (
	walkAll   = 64 // so many levels are all kept open
	walkEvery = 32 // then one of so many
)

func openWalker(ctx context.Context, dir string) (*walker, error) {
	root, err := disk.From(ctx).OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &walker{root: root}, nil
}

// at returns the folder that holds path, and the name of path in it. The folder
// is good until the next call.
func (w *walker) at(path string) (dir *disk.Root, name string, err error) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return w.root, path, nil
	}
	dir, err = w.folder(path[:i])
	return dir, path[i+1:], err
}

// folder opens the folder at path.
func (w *walker) folder(path string) (*disk.Root, error) {
	for len(w.steps) > 0 && !within(path, w.last().path) {
		w.pop()
	}
	here, at, depth := w.root, "", 0
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
		dir, err := stepInto(here, name)
		if err != nil {
			return nil, fmt.Errorf("folder %q: %w", next, err)
		}
		if n := len(w.steps); n > 0 && depth > walkAll && depth%walkEvery != 0 {
			w.pop()
		}
		depth++
		w.steps = append(w.steps, walkStep{next, depth, dir})
		here, at = dir, next
	}
	return here, nil
}

// within reports whether path is dir or lies below it.
func within(path, dir string) bool {
	return strings.HasPrefix(path, dir) && (len(path) == len(dir) || path[len(dir)] == '/')
}

func (w *walker) last() walkStep { return w.steps[len(w.steps)-1] }

func (w *walker) pop() {
	w.last().dir.Close() // only a handle: there is nothing to lose
	w.steps = w.steps[:len(w.steps)-1]
}

// forget closes the folder at path, and all below it, so that it can be removed
// or changed.
func (w *walker) forget(path string) {
	for len(w.steps) > 0 && within(w.last().path, path) {
		w.pop()
	}
}

func (w *walker) Close() error {
	w.forgetAll()
	return w.root.Close()
}

func (w *walker) forgetAll() {
	for len(w.steps) > 0 {
		w.pop()
	}
}

var errSwapped = errors.New("somebody put something else in its place meanwhile")

// stepInto opens the folder called name in dir, if it is one.
func stepInto(dir *disk.Root, name string) (*disk.Root, error) {
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
		err = errSwapped
	}
	if err != nil {
		return nil, errors.Join(err, sub.Close())
	}
	return sub, nil
}
