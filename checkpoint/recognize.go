package checkpoint

import (
	"context"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
)

// Recognize spares the store to read a snapshot that the caller has in memory
// already. It reports whether tree, times included, is what snap stands for:
// whether the manifest that a store writes of all of it is that of snap, and is
// kept. A snapshot that was written as the difference to another one is not
// recognized.
func (s *Store) Recognize(ctx context.Context, snap record.Snapshot, tree *ledger.Tree) (bool, error) {
	if tree.Digest() != snap.Tree {
		return false, nil
	}
	if has, err := s.blobs.Has(ctx, snap.Manifest); err != nil || !has {
		return false, err
	}
	digest, size, err := difference(nil, tree).sum()
	if err != nil || digest != snap.Manifest {
		return false, err
	}
	s.remember(keptTree{snap: snap, tree: tree, full: size})
	return true, nil
}
