package layer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/planlock/planlock/ledger"
)

// A Layer is where commands of one attempt work, or one that judges it. What
// they write lies in its upper folder, and nowhere else. It may be used by
// several goroutines at once, but by one command at a time.
type Layer struct {
	of        *Overlays
	name, dir string

	mu      sync.Mutex
	works   int // how many views there were
	dropped bool
	origins map[string]string // of what was moved with its folder, by the last comparison
}

// errDropped is of what is asked of a layer too late.
var errDropped = errors.New("layer: it was dropped")

func (l *Layer) upper() string { return filepath.Join(l.dir, upperName) }

// fill makes the upper folder. The root of what is merged has its mode. The
// folder of the controller is hidden.
func (l *Layer) fill() error {
	like, err := os.Lstat(l.of.clone)
	if err != nil {
		return err
	}
	return errors.Join(os.Mkdir(l.upper(), 0o700), bestow(l.upper(), like), os.Chmod(l.upper(), like.Mode()),
		hide(filepath.Join(l.upper(), own)))
}

// View is what the next command is shown. It is good for one command, since the
// kernel uses a work folder once.
func (l *Layer) View() (*View, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dropped {
		return nil, errDropped
	}
	l.works++
	work := filepath.Join(l.dir, workName+"-"+strconv.Itoa(l.works))
	if err := os.Mkdir(work, 0o700); err != nil {
		return nil, fmt.Errorf("layer: %w", err)
	}
	return &View{At: l.of.at, Lowers: []string{l.of.clone}, Upper: l.upper(), Work: work, Trusted: l.of.trusted}, nil
}

// Changes says what is different in the layer from the clone, sorted by paths,
// the repository and what no plan watches among it, by comparing what was written
// with what lies below. A file that was written as it was has another time, and is
// among them; what else is as it was is not. No command may be working in it.
//
// Base is the tree that the clone holds; the paths that base does not watch, and
// all of them if it is nil, are read.
func (l *Layer) Changes(ctx context.Context, base *ledger.Tree) ([]ledger.Change, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dropped {
		return nil, errDropped
	}
	changes, origins, err := compare(ctx, l.upper(), l.of.clone, l.of.marks(), base)
	l.origins = origins
	if err != nil {
		return nil, fmt.Errorf("layer: what changed in %q: %w", l.name, err)
	}
	return changes, nil
}

// Open opens a file that was written in the layer, by its path with slashes; what
// lies in a folder that was moved is not found.
func (l *Layer) Open(path string) (*os.File, error) {
	root, err := os.OpenRoot(l.upper())
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return openRegular(root, filepath.FromSlash(path))
}

// Merge does in the clone what Changes found in the layer just now, by moving it
// there. Nobody may work in the clone meanwhile. The layer can only be dropped
// afterwards. After an error the clone may have a part of it.
func (l *Layer) Merge(changes []ledger.Change) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dropped {
		return errDropped
	}
	err := merge(l.upper(), l.of.clone, filepath.Join(l.dir, movedName), l.of.marks(), l.origins, changes)
	if err != nil {
		return fmt.Errorf("layer: merge %q: %w", l.name, err)
	}
	return nil
}

// Drop takes the layer away with all that was written in it. The files are
// removed beside what goes on, see [Overlays.Close]. It is no error if that was
// done before.
func (l *Layer) Drop() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dropped {
		return nil
	}
	if err := l.of.remove(l.dir); err != nil {
		return fmt.Errorf("layer: %q cannot be dropped: %w", l.name, err)
	}
	l.dropped = true
	return nil
}
