package layer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/planlock/planlock/ledger"
)

// A Layer is where one attempt works, or where it is judged. It is one of an
// overlay or a clone, which differ in nothing but what doc.go says. It may be
// used by several goroutines at once, but by one command at a time.
type Layer struct {
	name   string
	site   *site
	dir    string // its own folder
	engine engine

	mu      sync.Mutex
	on      *Layer // on which it lies; nil: on the workspace
	above   int    // how many lie on it
	dropped bool
}

// An engine does what the kinds of layers do in their own ways.
type engine interface {
	// view is what the next command is shown; nil if it works in the folder.
	view() (*View, error)
	// folder is where code of this process reads what is in the layer, and
	// writable whether it works there.
	folder() string
	writable() bool
	changes(ctx context.Context, base *ledger.Tree) (*Difference, error)
	// open opens a file as the layer has it.
	open(path string) (io.ReadCloser, error)
	// on makes the engine of a layer on this one, with a folder of its own.
	on(ctx context.Context, dir string) (engine, error)
	// close lets go of what it holds open.
	close() error
}

// What is wrong with what is asked of a layer.
var (
	errFrozen  = errors.New("layer: another layer lies on it")
	errDropped = errors.New("layer: it was dropped")
)

// Name is what the layer was called.
func (l *Layer) Name() string { return l.name }

// Dir is where code of this process reads what the layer holds, until the next
// view is asked for, of it or of one above, or the layer is dropped. In a clone
// it may also work there; in an overlay only commands may. There, before the
// first one Dir is what lies below, and "" where a view has ended and no command
// came since: what is in files is read by Open.
func (l *Layer) Dir() string { return l.engine.folder() }

// Writable reports whether code of this process may work in Dir.
func (l *Layer) Writable() bool { return l.engine.writable() }

// View is what the next command is shown; nil if it works in Dir. A view is
// good for one command.
func (l *Layer) View() (*View, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.dropped:
		return nil, errDropped
	case l.above > 0:
		return nil, fmt.Errorf("%w, so nothing may be written in %q: drop that first", errFrozen, l.name)
	}
	return l.engine.view()
}

// Above makes a layer on this one, which is frozen until that is dropped: what
// is written there is no part of this one.
func (l *Layer) Above(ctx context.Context, name string) (*Layer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dropped {
		return nil, errDropped
	}
	top, err := l.site.layer(name, func(dir string) (engine, error) { return l.engine.on(ctx, dir) })
	if err == nil {
		top.on = l
		l.above++
	}
	return top, err
}

// Changes says what is different in the layer from what lies below it, by
// comparing what was written with that: writing the same again is no change.
// No command may be working in it.
//
// Base is the tree that the work began with, which decides what was there
// before, so that what others write meanwhile is not taken for it; the paths
// that base does not watch, and all of them if it is nil, are read where they
// lie. Repositories and the controller's folder are no changes, but losses.
func (l *Layer) Changes(ctx context.Context, base *ledger.Tree) (*Difference, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dropped {
		return nil, errDropped
	}
	d, err := l.engine.changes(ctx, base)
	if err != nil {
		return nil, fmt.Errorf("layer: what changed in %q: %w", l.name, err)
	}
	return d, nil
}

// Merge does in the clone on which the layer of an overlay lies what Changes
// found in it just now, by moving it there, but for what was Lost and is never
// delivered. Nobody may work in the clone meanwhile. The layer can only be
// dropped afterwards. After an error the clone may have a part of it.
func (l *Layer) Merge(d *Difference) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dropped {
		return errDropped
	}
	o, ok := l.engine.(*overlay)
	if !ok {
		return errors.New("layer: only an overlay can be merged with what lies below it")
	}
	if err := o.merge(d); err != nil {
		return fmt.Errorf("layer: merge %q: %w", l.name, err)
	}
	return nil
}

// Open opens the content of a file that Changes found in the layer. It is a
// [ledger.Content].
func (l *Layer) Open(_ context.Context, e ledger.Entry) (io.ReadCloser, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dropped {
		return nil, errDropped
	}
	f, err := l.engine.open(e.Path)
	if err != nil {
		return nil, fmt.Errorf("layer: %w: %w", ledger.ErrContent, err)
	}
	return f, nil
}

// Drop takes the layer away with all that was written in it. The files are
// removed beside what goes on, see [Engine.Close]. It is no error if that was
// done before.
func (l *Layer) Drop() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.above > 0 {
		return fmt.Errorf("%w, so %q cannot be dropped: drop that first", errFrozen, l.name)
	}
	if l.dropped {
		return nil
	}
	if err := l.site.remove(l.dir, l.engine.close); err != nil {
		return fmt.Errorf("layer: %q cannot be dropped: %w", l.name, err)
	}
	l.dropped = true
	if l.on != nil {
		l.on.mu.Lock()
		l.on.above--
		l.on.mu.Unlock()
	}
	return nil
}
