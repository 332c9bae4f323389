package checkpoint

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"

	"github.com/planlock/planlock/ledger"
)

// Memory is Blobs in memory: for tests and for runs that need no tomorrow. The
// zero value is ready. It is safe for concurrent use.
type Memory struct {
	mu   sync.RWMutex
	kept map[ledger.Digest][]byte
}

// Put keeps content; see Blobs.
func (m *Memory) Put(ctx context.Context, d ledger.Digest, content io.Reader) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("checkpoint: put: %w", context.Cause(ctx))
	}
	b, err := io.ReadAll(content)
	if err != nil {
		return fmt.Errorf("checkpoint: put: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil {
		m.kept = map[ledger.Digest][]byte{}
	}
	if _, ok := m.kept[d]; !ok {
		m.kept[d] = b
	}
	return nil
}

// Get opens content; see Blobs.
func (m *Memory) Get(ctx context.Context, d ledger.Digest) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("checkpoint: get: %w", context.Cause(ctx))
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	b, ok := m.kept[d]
	if !ok {
		return nil, fmt.Errorf("%w: %q", ErrNotFound, string(d))
	}
	return io.NopCloser(bytes.NewReader(b)), nil
}

// Has reports whether content is kept.
func (m *Memory) Has(ctx context.Context, d ledger.Digest) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, fmt.Errorf("checkpoint: has: %w", context.Cause(ctx))
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	_, ok := m.kept[d]
	return ok, nil
}

// Sync does nothing: nothing here is durable.
func (m *Memory) Sync(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("checkpoint: sync: %w", context.Cause(ctx))
	}
	return nil
}

// MemoryLog is a Log in memory: for tests and for runs that need no tomorrow.
// The zero value is ready. It is safe for concurrent use.
type MemoryLog struct {
	mu      sync.Mutex
	records [][]byte
	closed  error // why nothing is added any more
}

// Append adds batch; see Log.
func (l *MemoryLog) Append(ctx context.Context, batch [][]byte) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("checkpoint: append: %w", context.Cause(ctx))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed != nil {
		return fmt.Errorf("checkpoint: append: %w", l.closed)
	}
	for _, r := range batch {
		l.records = append(l.records, append([]byte{}, r...))
	}
	return nil
}

// Replay yields the records; see Log. It works after Close too.
func (l *MemoryLog) Replay(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		l.mu.Lock()
		records := slices.Clip(l.records)
		l.mu.Unlock()
		for _, r := range records {
			if err := ctx.Err(); err != nil {
				yield(nil, fmt.Errorf("checkpoint: replay: %w", context.Cause(ctx)))
				return
			}
			if !yield(bytes.Clone(r), nil) {
				return
			}
		}
	}
}

// Close makes every further Append fail.
func (l *MemoryLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed == nil {
		l.closed = ErrClosed
	}
	return nil
}

// Reopen returns a new log with the same records, as opening a file again
// would. The old one is closed.
func (l *MemoryLog) Reopen() *MemoryLog { return l.reopen(ErrClosed, nil) }

// reopen returns a log with the same records, which takes more unless it is
// closed; why not is what the old one says from now on, if it took more.
func (l *MemoryLog) reopen(whyNot, closed error) *MemoryLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed == nil {
		l.closed = whyNot
	}
	return &MemoryLog{records: slices.Clone(l.records), closed: closed}
}
