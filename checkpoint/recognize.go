package checkpoint

import (
	"context"
	"crypto/sha256"

	"github.com/planlock/planlock/checkpoint/internal/format"
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
	digest, size, err := wholeManifest(tree)
	if err != nil || digest != snap.Manifest {
		return false, err
	}
	s.recent.add(keptTree{snap: snap, tree: tree, full: size})
	return true, nil
}

// wholeManifest is the digest of the manifest of all of tree, and its size. It
// does not need all of it at a time.
func wholeManifest(tree *ledger.Tree) (digest ledger.Digest, size uint64, err error) {
	const piece = 32 << 10
	whole, hash := manifest{tree: tree.Digest()}, sha256.New()
	b := whole.appendHead(make([]byte, 0, piece+4<<10), tree.Len())
	flush := func() {
		hash.Write(b)
		size += uint64(len(b))
		b = b[:0]
	}
	for e := range tree.All() {
		if b, err = appendEntry(b, e); err != nil {
			return "", 0, err
		}
		if len(b) >= piece {
			flush()
		}
	}
	flush()
	return ledger.DigestOf(format.Sum(hash.Sum(nil))), size, nil
}
