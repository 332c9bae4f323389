package checkpoint

import (
	"context"
	"io"

	"github.com/planlock/planlock/ledger"
)

// A Store keeps trees in Blobs. Safe for concurrent use as far as its Blobs are.
type Store struct{ blobs Blobs }

func NewStore(b Blobs) *Store { return &Store{blobs: b} }

// A Snapshot is a tree that can be restored.
type Snapshot struct {
	Tree     ledger.Digest `json:"tree"`     // identity
	Manifest ledger.Digest `json:"manifest"` // the blob that describes it, mtimes included
}

// Snapshot keeps tree, as scanned from dir, with all contents, durably. Contents that changed since the scan: *ChangedError.
// base (may be zero) is an earlier snapshot of the same run, of which only the difference is written.
func (s *Store) Snapshot(ctx context.Context, dir string, tree *ledger.Tree, base Snapshot) (Snapshot, error) {
	return Snapshot{}, nil
}

// Tree reads a snapshot back.
func (s *Store) Tree(ctx context.Context, snap Snapshot) (*ledger.Tree, error) { return nil, nil }

// Open opens the content of a file entry, verified against its digest. It is a ledger.Content.
func (s *Store) Open(ctx context.Context, e ledger.Entry) (io.ReadCloser, error) { return nil, nil }

// Restore makes dir hold want exactly (content, mode, links, empty folders, mtimes), where have is what it
// holds now (scan it first). Paths outside want and have, ignored and tracked ones among them, are left alone.
// Idempotent: it can be repeated after a crash.
func (s *Store) Restore(ctx context.Context, dir string, want, have *ledger.Tree) error { return nil }

// Put and Get keep single contents (outputs, plans).
func (s *Store) Put(ctx context.Context, content []byte) (ledger.Digest, error) { return "", nil }
func (s *Store) Get(ctx context.Context, d ledger.Digest) ([]byte, error)       { return nil, nil }
