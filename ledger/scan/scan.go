package scan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/planlock/planlock/ledger"
)

// ErrChanging is in the chain of the error of a scan that could not read a file
// or folder at rest.
var ErrChanging = errors.New("scan: changes while it is read")

// Scanner reads a folder. The zero value reads everything with two workers. It
// may be used by several goroutines at once.
type Scanner struct {
	Scope   ledger.Scope
	Workers int   // 0: two
	MaxFile int64 // bytes of the largest file that is read; 0: 64 GiB. A larger one is an error that names it.

	// Tolerant scans list what cannot be read, instead of failing: a file that
	// is too large, has no permission or never comes to rest, and a folder like
	// that with all it holds, is one Special entry, and Tree.Unread names it.
	// So it can be removed by whoever restores an earlier tree. It does not say
	// what stands there, so nothing should be judged by such a tree. The folder
	// that is scanned must be readable.
	Tolerant bool

	open func(dir string) (folder, error) // nil: the fastest way on this system
}

const (
	defaultWorkers = 2
	defaultMaxFile = 64 << 30
)

// complete is a copy of s that shares nothing with it, with the value of
// MaxFile that holds.
func (s *Scanner) complete() Scanner {
	c := *s
	c.Scope = s.Scope.Clone()
	if c.MaxFile <= 0 {
		c.MaxFile = defaultMaxFile
	}
	return c
}

// Scan reads the folder dir. Where prior is a tree that was scanned from the
// same folder before, by this process or by an earlier one that left its
// [Stamps], folders and contents whose stamps did not move are not read again
// (save where the stamps are too young to be trusted), and the new tree shares
// what is the same. prior may be nil; from a tree of another scope or another
// folder only what holds is taken.
//
// It never follows a link, except that dir itself may be one, never opens what
// is not a regular file or a folder, and never leaves dir, whatever is moved or
// swapped meanwhile. A file that is written while it is read is read again, a
// few times; an entry that vanishes is absent. The tree as a whole is only the
// state of one moment if nothing writes to the folder.
//
// All errors are joined, each with the path it is about; a tree is only
// returned if there are none.
func (s *Scanner) Scan(ctx context.Context, dir string, prior *ledger.Tree) (*ledger.Tree, error) {
	return s.scan(ctx, dir, prior, nil)
}

// ScanWritten is Scan for who has written in dir since prior was scanned, and
// knows where: at paths, which are those of a tree. It looks at the folders
// that hold one of them, at those above, and at what is new. All else is taken
// from prior as it was, and a later scan believes of it what it would have
// believed then. Where nothing is believed of prior, it is Scan.
func (s *Scanner) ScanWritten(ctx context.Context, dir string, prior *ledger.Tree, paths []string) (*ledger.Tree,
	error) {
	written := map[string]bool{"": true}
	for _, p := range paths {
		for ; !written[p]; p, _ = splitPath(p) {
			written[p] = true
		}
	}
	return s.scan(ctx, dir, prior, written)
}

// scan looks only at the folders in written, or at all if it is nil.
func (s *Scanner) scan(ctx context.Context, dir string, prior *ledger.Tree, written map[string]bool) (*ledger.Tree,
	error) {
	if err := s.Scope.Check(); err != nil {
		return nil, err
	}
	w := &walk{ctx: ctx, scanner: s.complete(), written: written, prior: memoryOf(prior)}
	top, err := w.openTop(dir)
	if err != nil {
		return nil, err
	}
	defer top.close()
	return w.run()
}

// Reads counts the files whose contents were read for a tree, by the scan that
// made it and by those before it of which each knew the one before. It is 0 for
// trees that no scan made, and begins there for one that was revived.
func Reads(t *ledger.Tree) int64 {
	if m := memoryOf(t); m != nil {
		return m.reads
	}
	return 0
}

// Again scans dir with the scanner that made the tree, which is the prior one;
// a tree that no scan made is scanned with the zero Scanner.
func Again(ctx context.Context, dir string, t *ledger.Tree) (*ledger.Tree, error) {
	var s Scanner
	if m := memoryOf(t); m != nil {
		s = m.scanner
	}
	return s.Scan(ctx, dir, t)
}

// openTop opens the folder that is to be scanned, tells apart what else it may
// be, and decides what is believed of the prior tree.
func (w *walk) openTop(dir string) (folder, error) {
	open := w.scanner.open
	if open == nil {
		open = openTop
	}
	start, up := readClocks()
	top, err := open(dir)
	if err != nil {
		if info, e := os.Stat(dir); e == nil && !info.IsDir() {
			return nil, fmt.Errorf("scan: cannot scan %q: it is not a folder", dir)
		}
		return nil, fmt.Errorf("scan: cannot scan %q: %w", dir, cause(err))
	}
	st, err := top.status()
	if err != nil {
		top.close()
		return nil, fmt.Errorf("scan: cannot scan %q: %w", dir, cause(err))
	}
	w.trust = trust{start: start, up: up, dev: st.dev}
	w.trust.fs, w.trust.usable = trusted(dir)
	w.trust, w.belief = w.trust.next(w.prior, func() grain { return probe(dir) })
	w.top = &visit{dir: top, status: st}
	if w.prior != nil {
		w.reads.Store(w.prior.reads)
		w.top.prior, w.spare = w.prior.root, w.prior.spare
		w.sameScope = w.prior.scanner.Scope.SameEntries(w.scanner.Scope)
	}
	if w.spare == nil {
		w.spare = &spare{}
	}
	if !w.sameScope || !w.belief.on || w.prior.root.unread > 0 {
		w.written = nil
	}
	if w.written != nil { // what is not looked at was seen then
		w.trust.start, w.trust.up = w.prior.trust.start, w.prior.trust.up
	}
	return top, nil
}

// cause is an error without the path that it is about, which may be only a last
// name.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// A walk is one scan under way.
type walk struct {
	ctx       context.Context
	scanner   Scanner
	prior     *memory
	sameScope bool            // as the prior tree
	written   map[string]bool // folders that are looked at, the root is ""; nil: all
	trust     trust           // of this scan
	belief    belief          // in the prior tree
	top       *visit
	spare     *spare
	open      atomic.Int32 // folders that are open
	reads     atomic.Int64 // contents that were read, by the scans before too

	crew crew
	mu   sync.Mutex // guards errs, and what several readers find in one folder
	errs []error

	sealer ledger.Sealer // for build
}

func (w *walk) run() (*ledger.Tree, error) {
	w.crew.start(w)
	if err := context.Cause(w.ctx); err != nil {
		return nil, fmt.Errorf("scan: scan stopped: %w", err)
	}
	if len(w.errs) > 0 {
		slices.SortFunc(w.errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
		return nil, errors.Join(w.errs...)
	}
	m := &memory{root: w.build(w.top), trust: w.trust, scanner: w.scanner, spare: w.spare, reads: w.reads.Load()}
	return m.tree(), nil
}

func (w *walk) fail(path string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.errs = append(w.errs, pathError(path, err))
}

// pathError is about one path of the tree; hint says what to do about it.
func pathError(path string, err error) error {
	err = cause(err)
	if path == "" {
		path = "."
	}
	switch {
	case errors.Is(err, ErrChanging):
		return fmt.Errorf("%w: %q; end what writes to it and scan again", ErrChanging, path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("scan: cannot read %q: %w; make it readable, or leave it out with [ledger] ignore", path, err)
	}
	return fmt.Errorf("scan: cannot read %q: %w", path, err)
}
