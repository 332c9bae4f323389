package scan

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
)

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
	// The clocks are read before anything is looked at: what is written from
	// then on has a later time.
	start, up := clocks()
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
	var before *trust
	if w.prior != nil {
		before = &w.prior.trust
	}
	w.trust, w.belief = w.trust.next(before, func() grain { return probe(dir) })
	w.top = &visit{dir: top, status: st}
	if like := w.scanner.Like; w.prior == nil && like != nil {
		w.top.like = like.Root()
	}
	w.scanner.Like = nil // the tree that is made keeps its scanner
	if w.prior != nil {
		w.reads.Store(w.prior.reads)
		w.top.prior, w.spare = w.prior.root, w.prior.spare
		w.sameScope = w.prior.scanner.Scope.SameEntries(w.scanner.Scope)
	}
	if w.spare == nil {
		w.spare = &spare{}
	}
	// Where the prior tree is not to be believed, it does not matter who says
	// that nobody wrote.
	if !w.sameScope || !w.belief.on || w.prior.root.unread > 0 {
		w.written = nil
	}
	if w.written != nil { // what is not looked at was seen then
		w.trust.start, w.trust.up = w.prior.trust.start, w.prior.trust.up
	}
	return top, nil
}

// run reads the folder, and makes a tree of it if nothing failed. Errors are
// sorted, since readers meet them in any order.
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
