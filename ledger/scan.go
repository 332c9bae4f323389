package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrChanging is in the chain of the error of a scan that could not read a file
// or folder at rest.
var ErrChanging = errors.New("ledger: changes while it is read")

// Scanner reads a folder. The zero value reads everything with two workers. It
// may be used by several goroutines at once.
type Scanner struct {
	Scope   Scope
	Workers int   // 0: two
	MaxFile int64 // bytes of the largest file that is read; 0: 64 GiB. A larger one is an error that names it.

	// Tolerant scans list what cannot be read, instead of failing: a file that is too
	// large, has no permission or never comes to rest, and a folder like that with
	// all it holds, is one Special entry, and Tree.Unread names it. So it can be
	// removed by whoever restores an earlier tree. It does not say what stands there, so
	// nothing should be judged by such a tree. The folder that is scanned must be readable.
	Tolerant bool
}

const (
	defaultWorkers = 2
	defaultMaxFile = 64 << 30
)

// Content opens the content of a file of some tree; the caller closes it.
// It is how functions that compare two trees reach what only a store still holds.
type Content func(ctx context.Context, e Entry) (io.ReadCloser, error)

// Scan reads the folder dir. Where prior is a tree that this process scanned
// from the same folder before, contents whose stamps did not move are not read again
// (save where the stamps are too young to be trusted). prior may be nil.
//
// It never follows a link, except that dir itself may be one, never opens what is not a
// regular file or a folder, and never leaves dir, whatever is moved or swapped meanwhile. A file that is written while it is read is
// read again, a few times; an entry that vanishes is absent. The tree as a whole is
// only the state of one moment if nothing writes to the folder.
//
// All errors are joined, each with the path it is about; a tree is only returned if
// there are none.
func (s *Scanner) Scan(ctx context.Context, dir string, prior *Tree) (*Tree, error) {
	m, err := newMatcher(s.Scope)
	if err != nil {
		return nil, err
	}
	root, err := openFolder(dir)
	if err != nil {
		return nil, err
	}
	defer root.close()
	w := &walk{
		ctx:     ctx,
		root:    root,
		scope:   m,
		prior:   prior,
		maxFile: s.MaxFile,
		scanner: *s,
		trust:   newTrust(dir, time.Now()),
	}
	w.scanner.Scope = s.Scope.clone()
	if w.maxFile <= 0 {
		w.maxFile = defaultMaxFile
	}
	w.cond.L = &w.mu
	workers := s.Workers
	if workers <= 0 {
		workers = defaultWorkers
	}
	return w.run(workers)
}

// openFolder opens the folder that is to be scanned, and tells apart what else it may be.
func openFolder(dir string) (*folder, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("ledger: cannot scan: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("ledger: cannot scan %q: it is not a folder", dir)
	}
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("ledger: cannot scan: %w", err)
	}
	return &folder{root: r, users: 1}, nil
}

// A walk is one scan under way.
type walk struct {
	ctx     context.Context
	root    *folder
	scope   *matcher
	prior   *Tree
	maxFile int64
	trust   trust
	scanner Scanner

	mu     sync.Mutex
	cond   sync.Cond
	jobs   []job // last in, first out, so that few folders are open at once
	active int   // jobs being worked on
	held   int   // folders that are kept open for jobs
	errs   []error
	found  []found
}

// found is an entry with its stamp.
type found struct {
	entry  Entry
	stamp  stamp
	unread bool // it is not known what it holds
}

func (w *walk) run(workers int) (*Tree, error) {
	w.jobs = []job{{path: ""}}
	var done sync.WaitGroup
	for range workers {
		done.Go(w.work)
	}
	done.Wait()
	if err := context.Cause(w.ctx); err != nil {
		return nil, fmt.Errorf("ledger: scan stopped: %w", err)
	}
	if len(w.errs) > 0 {
		slices.SortFunc(w.errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
		return nil, errors.Join(w.errs...)
	}
	slices.SortFunc(w.found, func(a, b found) int { return byPath(a.entry, b.entry) })
	t := &Tree{
		entries: make([]Entry, len(w.found)),
		stamps:  make([]stamp, len(w.found)),
		scope:   w.scope,
		trust:   w.trust,
		scanner: w.scanner,
	}
	for i, f := range w.found {
		t.entries[i], t.stamps[i] = f.entry, f.stamp
		if f.unread {
			t.unread = append(t.unread, f.entry.Path)
		}
	}
	if err := checkEntries(t.entries); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrChanging, err)
	}
	t.digest = merkle(t.entries)
	return t, nil
}

// work takes jobs until there are none and nobody is making new ones.
func (w *walk) work() {
	r := &reader{walk: w, buf: make([]byte, 128<<10)}
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.jobs) == 0 && w.active > 0 {
			w.cond.Wait()
		}
		if len(w.jobs) == 0 {
			w.found = append(w.found, r.found...)
			return
		}
		j := w.jobs[len(w.jobs)-1]
		w.jobs = w.jobs[:len(w.jobs)-1]
		w.active++
		w.mu.Unlock()
		next, errs := r.do(j)
		w.mu.Lock()
		w.active--
		w.jobs = append(w.jobs, next...)
		w.errs = append(w.errs, errs...)
		w.cond.Broadcast()
	}
}

// pathError is about one path of the tree; hint says what to do about it.
func pathError(path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err // its path is only the last name
	}
	if path == "" {
		path = "."
	}
	switch {
	case errors.Is(err, ErrChanging):
		return fmt.Errorf("%w: %q; end what writes to it and scan again", ErrChanging, path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("ledger: cannot read %q: %w; make it readable, or leave it out with [ledger] ignore", path, err)
	}
	return fmt.Errorf("ledger: cannot read %q: %w", path, err)
}
