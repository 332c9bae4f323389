package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
)

// Snapshot keeps tree, as scanned from dir, with all contents, durably. Only
// contents that are not kept yet are read. What is no longer what the scan saw
// is a *ChangedError; then nothing is lost, scan and try again. Of paths that
// are tracked only, contents that changed meanwhile are left out, and those
// that are larger than s.MaxContent. Another file of that size, if its content
// is not kept yet, is a *TooLargeError, before anything is written. What a
// snapshot that fails has put in a Folder is taken back, as far as nobody else
// counts on it.
//
// tree may come from a tolerant scan: of what that could not read nothing is
// kept but that it was there.
//
// base (may be zero) is an earlier snapshot of the same store, of which only
// the difference is written; where there is none, times included, it is base
// itself that is returned.
func (s *Store) Snapshot(ctx context.Context, dir string, tree *ledger.Tree, base record.Snapshot) (record.Snapshot,
	error) {
	snap, err := s.snapshot(ctx, dir, tree, base, nil)
	if err != nil {
		return record.Snapshot{}, fmt.Errorf("checkpoint: snapshot of %q: %w", dir, err)
	}
	return snap, nil
}

func (s *Store) snapshot(ctx context.Context, dir string, tree *ledger.Tree, base record.Snapshot,
	in *inlining) (record.Snapshot, error) {
	if ctx.Err() != nil {
		return record.Snapshot{}, context.Cause(ctx)
	}
	begun := time.Now()
	if err := s.Flush(ctx); err != nil {
		return record.Snapshot{}, err
	}
	var old keptTree
	if base != (record.Snapshot{}) {
		var err error
		if old, err = s.load(ctx, base); err != nil && !unreadable(err) {
			return record.Snapshot{}, err
		} else if err != nil {
			base = record.Snapshot{} // a full one needs nothing of it
		}
	}
	kept, m := &keptTree{tree: tree}, difference(old.tree, tree)
	if base != (record.Snapshot{}) && len(m.removed)+m.len() == 0 && base.Tree == m.tree {
		old.tree, old.read = tree, false // which the next scan shares with this one
		s.remember(old)
		return base, nil
	}
	k := &keeper{Store: s, dir: dir, tree: tree, in: in, fresh: make([]bool, m.len()), lacks: make([]bool, m.len())}
	err := k.keep(ctx, m.each())
	if err == nil {
		kept.snap, err = s.describe(ctx, kept, m, base, old, in)
	}
	if err != nil {
		return record.Snapshot{}, errors.Join(err, s.takeBack(append(k.digests(m.each()), kept.snap.Manifest)))
	}
	if m.len() <= mostKnown {
		s.learn(begun, append(k.digests(m.each()), kept.snap.Manifest)...)
	}
	s.await(kept.snap.Manifest, unreferred{at: begun, base: base.Manifest, needs: append(k.needs(m.each()), kept.snap.Manifest)})
	s.remember(*kept)
	return kept.snap, nil
}

// describe puts the manifest of kept, and seals the snapshot.
func (s *Store) describe(ctx context.Context, kept *keptTree, m *manifest, base record.Snapshot, old keptTree,
	in *inlining) (record.Snapshot, error) {
	text, err := kept.describe(m, base, old)
	if err != nil {
		return record.Snapshot{}, err
	}
	snap := record.Snapshot{Tree: m.tree}
	if text != nil {
		snap.Manifest = ledger.Sum(text)
		err = s.put(ctx, snap.Manifest, bytes.NewReader(text))
		in.take(text)
	} else {
		snap.Manifest, kept.full, err = s.putWhole(ctx, kept.tree)
		in.large()
	}
	if err != nil {
		return snap, err
	}
	return snap, s.seal(ctx, in)
}

// putWhole puts the manifest of all of a large tree, of which there is never
// more than a piece in memory.
func (s *Store) putWhole(ctx context.Context, tree *ledger.Tree) (d ledger.Digest, size uint64, err error) {
	m := difference(nil, tree)
	if d, size, err = m.sum(); err != nil {
		return d, size, err
	}
	in := m.spelled()
	defer in.stop()
	return d, size, s.put(ctx, d, in)
}

// describe returns the manifest of k: the difference m, or all of it where
// there is no base, or the chain of differences became too long or too heavy;
// nil where that is better not held in memory.
func (k *keptTree) describe(m *manifest, base record.Snapshot, old keptTree) ([]byte, error) {
	const large = 4096 // entries
	if base != (record.Snapshot{}) && old.depth < maxDepth && m.len() <= max(large, k.tree.Len()/2) {
		m.base, m.depth, m.full = base.Manifest, old.depth+1, old.full
		m.weight = old.weight
		text, err := m.encode()
		if err != nil {
			return nil, err
		}
		if m.weight += uint64(len(text)); m.weight <= m.full {
			k.depth, k.weight, k.full = m.depth, m.weight, m.full
			return m.encode()
		}
	}
	if k.tree.Len() > large {
		return nil, nil
	}
	text, err := difference(nil, k.tree).encode()
	k.full = uint64(len(text))
	return text, err
}
