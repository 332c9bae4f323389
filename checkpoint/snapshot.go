package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"

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
	if base != (record.Snapshot{}) && len(m.removed)+len(m.entries) == 0 && base.Tree == m.tree {
		old.tree, old.read = tree, false // which the next scan shares with this one
		s.recent.add(old)
		return base, nil
	}
	fresh, err := (&keeper{s, dir, tree, in}).keep(ctx, m.entries)
	if err == nil {
		kept.snap, err = s.describe(ctx, kept, m, base, old, in)
	}
	if err != nil {
		return record.Snapshot{}, errors.Join(err, s.takeBack(append(fresh, kept.snap.Manifest)))
	}
	s.learn(append(fresh, kept.snap.Manifest)...)
	s.recent.add(*kept)
	return kept.snap, nil
}

// describe puts the manifest of kept, and seals the snapshot.
func (s *Store) describe(ctx context.Context, kept *keptTree, m *manifest, base record.Snapshot, old keptTree,
	in *inlining) (record.Snapshot, error) {
	text, err := kept.describe(m, base, old)
	if err != nil {
		return record.Snapshot{}, err
	}
	snap := record.Snapshot{Tree: m.tree, Manifest: ledger.Sum(text)}
	if err := s.put(ctx, snap.Manifest, bytes.NewReader(text)); err != nil {
		return snap, err
	}
	in.take(text)
	return snap, s.seal(ctx, in)
}

// describe returns the manifest of k: the difference m, or all of it where
// there is no base, or the chain of differences became too long or too heavy.
func (k *keptTree) describe(m *manifest, base record.Snapshot, old keptTree) ([]byte, error) {
	if base != (record.Snapshot{}) && old.depth < maxDepth {
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
	whole := m
	if base != (record.Snapshot{}) {
		whole = difference(nil, k.tree)
	}
	text, err := whole.encode()
	k.full = uint64(len(text))
	return text, err
}
