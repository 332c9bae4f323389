package scan

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/planlock/planlock/ledger"
)

const (
	maxHeld = 256 // folders that stay open for those in them; beyond, those are opened from the root
	tries   = 5   // how often something is read before it is given up as changing
)

// errTooLarge is for a file that is larger than the scanner reads.
var errTooLarge = errors.New("too large")

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

// A crew are the readers of one scan. Each works through a stack of its own,
// the latest first, so that few folders are open at once; only when somebody
// has nothing to do are jobs handed over, the oldest ones, which are the
// largest.
type crew struct {
	size    int
	waiting atomic.Int32
	mu      sync.Mutex
	cond    sync.Cond
	shared  []job
	over    bool
}

// A job is a folder that is to be read, or with a range some entries of one
// that is open.
type job struct {
	v      *visit
	lo, hi int
}

// A reader is one worker of a scan.
type reader struct {
	buffers
	walk  *walk
	jobs  []job
	kept  []keptName
	namer ledger.Namer

	reads int64 // contents that were read
}

// A keptName is a name of a folder that is part of the tree.
type keptName struct {
	name  listed
	kind  ledger.Kind
	named bool
	prior int // its entry in the prior node, or -1
}

// A spare keeps the buffers of readers from one scan to the next one.
type spare struct{ pool sync.Pool }

// take is a reader with the buffers of an earlier one, if there is any.
func (s *spare) take(w *walk) *reader {
	r, _ := s.pool.Get().(*reader)
	if r == nil {
		r = &reader{}
	}
	r.walk = w
	return r
}

// give takes a reader back. It must not hold on to what it read.
func (s *spare) give(r *reader) {
	clear(r.jobs[:cap(r.jobs)])
	r.walk.reads.Add(r.reads)
	r.walk, r.jobs, r.reads = nil, r.jobs[:0], 0
	s.pool.Put(r)
}

// spares reports whether a folder is not looked at: nobody wrote in it since
// the prior scan.
func (w *walk) spares(sub *visit) bool {
	return w.written != nil && !w.written[sub.path()] && sub.prior != nil && sub.named == sub.prior.named
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

// refuse says what becomes of a folder that cannot be read because of err: a
// tolerant scan lists it, unless that is just being stopped.
func (r *reader) refuse(v *visit, err error) {
	no := syscall.Errno(0)
	switch {
	case errors.Is(err, errTooLarge):
	case !errors.As(err, &no), errors.Is(err, fs.ErrNotExist), errors.Is(err, errNotFolder),
		errors.Is(err, syscall.ELOOP):
		err = ErrChanging // it was a folder a moment ago
	}
	s := seen{row: v.status.row(), mark: v.status.mark(r.walk.trust.dev)}
	if v.up == nil || !r.tolerates(&s) {
		r.walk.fail(v.path(), err)
		return
	}
	v.end, v.other = replaced, &s
}

// tolerates makes of what was seen an entry that could not be read, if the scan
// takes such.
func (r *reader) tolerates(s *seen) bool {
	if !r.walk.scanner.Tolerant || r.walk.ctx.Err() != nil {
		return false
	}
	s.row.Bits, s.row.Size, s.row.Sum = s.row.Bits&^ledger.RowKind, 0, [sha256.Size]byte{}
	s.mark.marks |= unread
	return true
}

// A memory is what a tree that was scanned keeps for the next scan.
type memory struct {
	root    *node
	trust   trust   // what that may believe
	scanner Scanner // that made the tree
	spare   *spare  // buffers that the next scan may use
	reads   int64   // see Reads
}

// memoryOf is what a tree keeps; nil where no scan made it.
func memoryOf(t *ledger.Tree) *memory {
	if t == nil {
		return nil
	}
	m, _ := t.Memory().(*memory)
	return m
}

// tree is the tree of what was scanned.
func (m *memory) tree() *ledger.Tree {
	var unread []string
	if m.root.unread > 0 {
		unread = m.root.unreadPaths("", nil)
		slices.Sort(unread)
	}
	return ledger.TreeOf(m.root.Folder, ledger.Origin{Scope: m.scanner.Scope, Unread: unread, Memory: m})
}
