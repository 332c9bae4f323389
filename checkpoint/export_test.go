package checkpoint

import (
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
)

// BlobsOf opens what a store is built on to tests.
func BlobsOf(s *Store) Blobs { return s.blobs }

// RecentOf are the trees that a store has in memory for a snapshot.
func RecentOf(s *Store, snap record.Snapshot) (trees []*ledger.Tree) {
	for _, k := range s.recent.trees {
		if k.snap == snap {
			trees = append(trees, k.tree)
		}
	}
	return trees
}
