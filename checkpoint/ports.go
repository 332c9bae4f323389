package checkpoint

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/planlock/planlock/ledger"
)

// ErrNotFound is returned by Blobs.Get for content that is not kept.
var ErrNotFound = errors.New("checkpoint: content not found")

// Blobs keeps bytes by digest. Safe for concurrent use. It need not check the digest: Store does.
type Blobs interface {
	// Put keeps content under d. Doing it again is harmless. It need not be durable before Sync.
	Put(ctx context.Context, d ledger.Digest, content io.Reader) error
	// Get opens content; the caller closes it. ErrNotFound if it is not kept.
	Get(ctx context.Context, d ledger.Digest) (io.ReadCloser, error)
	// Has reports whether content is kept.
	Has(ctx context.Context, d ledger.Digest) (bool, error)
	// Sync makes everything that was put before durable.
	Sync(ctx context.Context) error
}

// Log keeps records in order.
type Log interface {
	// Append adds records as one batch: when it returns nil they are durable, all of them; after an
	// error none of them will be replayed, or the log refuses every further Append. The log keeps no reference to the slices.
	Append(ctx context.Context, batch [][]byte) error
	// Replay yields the records in order. A slice is valid until the next one. A torn last batch is not yielded.
	Replay(ctx context.Context) iter.Seq2[[]byte, error]
	// Close releases it. Appending afterwards fails.
	Close() error
}
