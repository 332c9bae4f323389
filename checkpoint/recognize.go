package checkpoint

import (
	"context"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
)

// Recognize spares the store to read a snapshot that the caller has in memory
// already. Where tree, times included, is what snap stands for, so that the
// manifest which a store writes of all of it is that of snap, and is kept, it
// returns how many bytes that has, for [Store.Recall]; else 0. A snapshot that was
// written as the difference to another one is not recognized.
func (s *Store) Recognize(ctx context.Context, snap record.Snapshot, tree *ledger.Tree) (size uint64, err error) {
	if tree.Digest() != snap.Tree {
		return 0, nil
	}
	digest, size, err := difference(nil, tree).sum()
	if err != nil || digest != snap.Manifest {
		return 0, err
	}
	same, err := s.Recall(ctx, snap, tree, size)
	if !same {
		size = 0
	}
	return size, err
}

// Recall is Recognize on the word of the caller that the same tree was recognized
// before, by whatever process, and that its manifest has so many bytes: so
// nothing has to be done with all of it.
func (s *Store) Recall(ctx context.Context, snap record.Snapshot, tree *ledger.Tree, size uint64) (bool, error) {
	if tree.Digest() != snap.Tree {
		return false, nil
	}
	if has, err := s.blobs.Has(ctx, snap.Manifest); err != nil || !has {
		return false, err
	}
	s.remember(keptTree{snap: snap, tree: tree, full: size})
	return true, nil
}
