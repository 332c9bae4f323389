package checkpoint

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/planlock/planlock/checkpoint/internal/content"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
)

// A Store keeps trees and single contents in Blobs, and checks every byte that
// it reads back. It is safe for concurrent use as far as its Blobs are.
type Store struct {
	// MaxContent is how many bytes a file may have that Snapshot keeps; 0 is
	// any number. Set it before the store is used.
	MaxContent int64
	// Recent is how many trees it holds in memory, of those that it read or wrote
	// last: a snapshot that builds on one of them reads nothing. 0 is 3. Set it
	// before the store is used.
	Recent int

	blobs Blobs

	register
	recent recent
}

// NewStore makes a Store on b. It does not close b.
func NewStore(b Blobs) *Store {
	return &Store{blobs: b, register: newRegister()}
}

// Put keeps a single content (an output, a plan) durably.
func (s *Store) Put(ctx context.Context, content []byte) (ledger.Digest, error) {
	digests, err := s.PutAll(ctx, content)
	if err != nil {
		return "", err
	}
	return digests[0], nil
}

// PutAll keeps contents durably, at the price of one, and returns their digests
// in their order.
func (s *Store) PutAll(ctx context.Context, contents ...[]byte) (digests []ledger.Digest, err error) {
	if err := s.Flush(ctx); err != nil {
		return nil, err
	}
	added := false
	for _, content := range contents {
		d := ledger.Sum(content)
		s.await(d, unreferred{at: time.Now(), needs: []ledger.Digest{d}})
		digests = append(digests, d)
		if s.knows(d) {
			continue
		}
		if err := s.put(ctx, d, bytes.NewReader(content)); err != nil {
			return nil, fmt.Errorf("checkpoint: keep %d bytes: %w", len(content), err)
		}
		added = true
	}
	if !added {
		return digests, nil
	}
	return digests, s.Sync(ctx)
}

// Get reads a single content. ErrNotFound if it is not kept, *DamagedError if
// something else is kept in its place.
func (s *Store) Get(ctx context.Context, d ledger.Digest) ([]byte, error) {
	r, err := s.open(ctx, d, -1)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, err
	}
	return content, nil
}

// Open opens the content of a file entry. Reading it ends with *DamagedError
// unless what was read has the entry's digest and size. It is a ledger.Content.
func (s *Store) Open(ctx context.Context, e ledger.Entry) (io.ReadCloser, error) {
	if e.Kind != ledger.File {
		return nil, fmt.Errorf("checkpoint: %q is a %s, only files have content", e.Path, e.Kind)
	}
	r, err := s.open(ctx, e.Digest, e.Size)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: content of %q: %w", e.Path, err)
	}
	return r, nil
}

// nothing is the digest of an empty content, which nobody has to keep.
var nothing = ledger.Sum(nil)

// open reads a content and checks it on the way: its end comes only where it
// has the size and the digest that it must have, and else a *[DamagedError].
func (s *Store) open(ctx context.Context, d ledger.Digest, size int64) (io.ReadCloser, error) {
	want, err := d.Sum()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	if adopted, ok := s.adoptedContent(d); ok || d == nothing {
		return content.Check(bytes.NewReader(adopted), want, size, &DamagedError{d}), nil
	}
	r, err := s.blobs.Get(ctx, d)
	if err != nil {
		return nil, err
	}
	return content.Check(r, want, size, &DamagedError{d}), nil
}

// Tree reads a snapshot back. ErrNotFound if it, or one that it builds on, is
// not kept; an error that names the tree if it is damaged.
func (s *Store) Tree(ctx context.Context, snap record.Snapshot) (*ledger.Tree, error) {
	kept, err := s.load(ctx, snap)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: tree %q: %w", string(snap.Tree), err)
	}
	if kept.read {
		return kept.tree, nil
	}
	return kept.tree.Bare(), nil // without the scope of its scan
}

// treeOf is the tree of a snapshot that has these entries.
func treeOf(snap record.Snapshot, entries iter.Seq2[ledger.Entry, error]) (*ledger.Tree, error) {
	var broken error // of reading
	tree, err := ledger.Collect(func(yield func(ledger.Entry, error) bool) {
		for e, err := range entries {
			if broken = err; !yield(e, err) {
				return
			}
		}
	})
	switch {
	case broken != nil:
		return nil, broken
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errManifest, err)
	case tree.Digest() != snap.Tree:
		return nil, fmt.Errorf("%w: it describes tree %q instead of %q", errManifest, string(tree.Digest()),
			string(snap.Tree))
	}
	return tree, nil
}

// load reads the manifest of snap, and those under it.
func (s *Store) load(ctx context.Context, snap record.Snapshot) (keptTree, error) {
	if kept, ok := s.recent.find(snap.Manifest); ok {
		if kept.snap != snap {
			return keptTree{}, fmt.Errorf("%w: it describes tree %q", errManifest, string(kept.snap.Tree))
		}
		return kept, nil
	}
	chain, entries, full, err := s.chain(ctx, snap)
	if err != nil {
		return keptTree{}, err
	}
	for _, m := range slices.Backward(chain) {
		entries = m.apply(entries)
	}
	tree, err := treeOf(snap, entries)
	if err != nil {
		return keptTree{}, err
	}
	kept := keptTree{snap: snap, tree: tree, read: true, full: full()}
	if len(chain) > 0 {
		kept.depth, kept.weight, kept.full = chain[0].depth, chain[0].weight, chain[0].full
	}
	s.remember(kept)
	return kept, nil
}

// chain reads the differences that make the tree of a snapshot, the last one
// first, and yields the entries that they are differences to. full is the size
// of the manifest of these, once they are read.
func (s *Store) chain(ctx context.Context, snap record.Snapshot) (chain []*manifest,
	under iter.Seq2[ledger.Entry, error], full func() uint64, err error) {
	next, depth := snap.Manifest, uint64(0)
	for first := true; ; first = false {
		if kept, ok := s.recent.find(next); ok && !first {
			return chain, withoutErrors(kept.tree.All()), func() uint64 { return kept.full }, nil
		}
		m, err := s.openManifest(ctx, next)
		if err != nil {
			return nil, nil, nil, err
		}
		switch {
		case first && m.tree != snap.Tree:
			err = fmt.Errorf("%w: it describes another tree", errManifest)
		case !first && m.depth+1 != depth:
			err = fmt.Errorf("%w: it builds on one that is not the next", errManifest)
		case m.base == "":
			return chain, m.each(), func() uint64 { return m.taken }, nil
		}
		if err != nil {
			return nil, nil, nil, errors.Join(err, m.close())
		}
		delta, err := m.all()
		if err != nil {
			return nil, nil, nil, err
		}
		chain, next, depth = append(chain, delta), m.base, m.depth
	}
}

// withoutErrors yields entries as if they were read.
func withoutErrors(entries iter.Seq[ledger.Entry]) iter.Seq2[ledger.Entry, error] {
	return func(yield func(ledger.Entry, error) bool) {
		for e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// remember holds a tree in memory.
func (s *Store) remember(k keptTree) { s.recent.add(k, cmp.Or(s.Recent, 3)) }

// put puts a content, which is durable nowhere then.
func (s *Store) put(ctx context.Context, d ledger.Digest, content io.Reader) error {
	if err := s.blobs.Put(ctx, d, content); err != nil {
		return err
	}
	s.wasPut(d)
	return nil
}

// Sync makes everything durable that was put, and what was adopted.
func (s *Store) Sync(ctx context.Context) error {
	adopted, begun := s.beginSync()
	for _, d := range slices.Sorted(maps.Keys(adopted)) {
		if err := s.blobs.Put(ctx, d, bytes.NewReader(adopted[d])); err != nil {
			return fmt.Errorf("checkpoint: keep %d bytes: %w", len(adopted[d]), err)
		}
	}
	if err := s.blobs.Sync(ctx); err != nil {
		return fmt.Errorf("checkpoint: sync: %w", err)
	}
	s.synced(begun)
	return nil
}

// Flush makes durable what SnapshotInline did not, unless Settle said that it
// is durable elsewhere, and what was adopted. It does nothing if there is no
// such thing.
func (s *Store) Flush(ctx context.Context) error {
	if !s.owes() {
		return nil
	}
	return s.Sync(ctx)
}

// unreadable reports that a snapshot cannot be built on, however often one
// tries.
func unreadable(err error) bool {
	var damaged *DamagedError
	return errors.Is(err, ErrNotFound) || errors.Is(err, errManifest) || errors.As(err, &damaged)
}
