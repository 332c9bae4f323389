package checkpoint

import (
	"context"
	"fmt"
	"io"

	"github.com/planlock/planlock/checkpoint/internal/restore"
	"github.com/planlock/planlock/ledger"
)

// Restore makes dir hold want exactly (content, mode, links, empty folders,
// times of modification, those of folders too), where have is what it holds
// now: scan it first. It is idempotent and can be repeated after a crash, from
// a new scan; what it wrote is not synced, so repeat it after a power cut too.
//
// Paths outside want and have, the ignored ones among them, and paths that want
// or have tracks, are left alone. So a folder that has to go stays, as it is,
// while something of that kind is in it; where want has something else at its
// path, that is an error. Special files that are in have only are removed,
// those in both are left alone. One that is in want only is made again if it
// was a FIFO, on Linux; else that is an error, as a socket or a device cannot
// be.
//
// have may come from a tolerant scan (scan.Scanner.Tolerant). What that could
// not read is opened to its owner first, with all below it that is not left
// alone, and dir is scanned once more; what cannot be read even then, for it is
// too large or somebody else's, is removed or replaced as it is. A folder like
// that goes only if it is empty.
//
// Nothing is touched if a content is missing (ErrNotFound). Otherwise an error
// about one path does not keep it from mending the others; all errors are
// joined, and name their paths. Links are never followed. Owners, extended
// attributes and which names were hard links of one file are not restored, and
// of links the time of modification on Linux only.
func (s *Store) Restore(ctx context.Context, dir string, want, have *ledger.Tree) error {
	if err := restore.Tree(ctx, contents{s}, dir, want, have); err != nil {
		return fmt.Errorf("checkpoint: restore %q: %w", dir, err)
	}
	return nil
}

// contents are those of a store, for a restore.
type contents struct{ s *Store }

// Lacks says why a content cannot be had.
func (c contents) Lacks(ctx context.Context, d ledger.Digest) (why, err error) {
	if _, adopted := c.s.adoptedContent(d); adopted || d == nothing || c.s.knows(d) {
		return nil, nil
	}
	has, err := c.s.blobs.Has(ctx, d)
	if err == nil && has {
		return nil, nil
	}
	in, lacks := c.s.blobs.Get(ctx, d) // Has may be too cautious, or not answer where nothing can be written
	if lacks != nil && err != nil {
		return nil, err
	}
	if lacks != nil {
		return lacks, nil
	}
	return in.Close(), nil
}

// Open opens a content, which is checked while it is read.
func (c contents) Open(ctx context.Context, d ledger.Digest, size int64) (io.ReadCloser, error) {
	return c.s.open(ctx, d, size)
}
