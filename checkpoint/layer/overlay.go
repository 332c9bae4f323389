package layer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/planlock/planlock/ledger"
)

// overlay is the engine of layers that the kernel merges: what commands write
// goes into the upper folder, and below lie the frozen ones of other layers,
// and the workspace.
type overlay struct {
	dir     string   // of the layer
	lowers  []string // topmost first; the last is the workspace
	at      string   // where commands see it
	whole   bool     // it lies on a clone, in which a repository is like any other folder
	trusted bool     // notes are kept where only root can write them
	below   *overlay // nil: the workspace
	works   int      // how many views there were

	mu    sync.Mutex
	shown *os.File // the root of the last view; nil: there was none yet

	roots   []*os.Root
	origins map[string]string // of what was moved with its folder, by the last comparison
}

// newOverlay makes the folders of a layer on others.
func newOverlay(dir string, lowers []string, trusted bool) (*overlay, error) {
	o := &overlay{dir: dir, lowers: lowers, trusted: trusted}
	like, err := os.Lstat(lowers[0])
	if err != nil {
		return nil, err
	}
	// The root of the merged folder has the mode of the upper one.
	upper := o.upper()
	if err := errors.Join(os.Mkdir(upper, 0o700), bestow(upper, like), os.Chmod(upper, like.Mode())); err != nil {
		return nil, err
	}
	if err := hide(filepath.Join(upper, own)); err != nil {
		return nil, err
	}
	return o, nil
}

func (o *overlay) upper() string { return filepath.Join(o.dir, upperName) }

// all are the folders that are merged, topmost first.
func (o *overlay) all() []string { return slices.Concat([]string{o.upper()}, o.lowers) }

// view is another one each time, since the kernel uses a work folder once.
func (o *overlay) view() (*View, error) {
	o.mu.Lock()
	o.works++
	o.mu.Unlock()
	work := filepath.Join(o.dir, workName+"-"+strconv.Itoa(o.works))
	if err := os.Mkdir(work, 0o700); err != nil {
		return nil, fmt.Errorf("layer: %w", err)
	}
	for held := o; held != nil; held = held.below {
		held.hold(nil) // views of the same folders would not know of each other, and the kernel warns of them
	}
	return &View{At: o.at, Lowers: o.lowers, Upper: o.upper(), Work: work, Trusted: o.trusted,
		Opened: o.hold}, nil
}

// hold keeps the root of a view, and with it what is mounted there.
func (o *overlay) hold(root *os.File) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.shown != nil {
		_ = o.shown.Close() // only a handle
	}
	o.shown = root
}

func (o *overlay) workspace() string { return o.lowers[len(o.lowers)-1] }

// folder is by the handle of the last view. Before there was one, it is what
// lies below.
func (o *overlay) folder() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.shown != nil:
		return fmt.Sprintf("/proc/self/fd/%d", o.shown.Fd())
	case o.works > 0:
		return ""
	case o.below != nil:
		return o.below.folder()
	}
	return o.workspace()
}

func (o *overlay) writable() bool { return false }

func (o *overlay) on(_ context.Context, dir string) (engine, error) {
	top, err := newOverlay(dir, o.all(), o.trusted)
	if err == nil {
		top.below, top.at = o, o.at
	}
	return top, err
}

func (o *overlay) marks() marks {
	if o.trusted {
		return trustedMarks
	}
	return userMarks
}

// opened opens all folders once; they stay open until the layer is dropped.
func (o *overlay) opened() ([]*os.Root, error) {
	for i := len(o.roots); i < len(o.lowers)+1; i++ {
		root, err := os.OpenRoot(o.all()[i])
		if err != nil {
			return nil, err
		}
		o.roots = append(o.roots, root)
	}
	return o.roots, nil
}

func (o *overlay) changes(ctx context.Context, base *ledger.Tree) (*Difference, error) {
	roots, err := o.opened()
	if err != nil {
		return nil, err
	}
	lower := newStack(roots[1:], o.marks())
	w := &walk{ctx: ctx, workspace: o.workspace(), marks: o.marks(), whole: o.whole, below: lower, origins: map[string]string{}}
	if base != nil {
		w.below = based{base, lower}
	}
	if err := w.folder(roots[0], ".", ".", true); err != nil {
		return nil, err
	}
	o.origins = w.origins
	w.found.sort()
	return &w.found, nil
}

func (o *overlay) open(path string) (io.ReadCloser, error) {
	roots, err := o.opened()
	if err != nil {
		return nil, err
	}
	if origin, ok := o.origins[path]; ok {
		return newStack(roots[1:], o.marks()).open(origin)
	}
	f, err := openRegular(roots[0], path)
	if errors.Is(err, fs.ErrNotExist) {
		return newStack(roots[1:], o.marks()).open(path)
	}
	return f, err
}

func (o *overlay) close() error {
	o.hold(nil)
	var errs []error
	for _, root := range o.roots {
		errs = append(errs, root.Close())
	}
	o.roots = nil
	return errors.Join(errs...)
}
