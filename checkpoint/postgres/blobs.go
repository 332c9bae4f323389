package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/ledger"
)

const (
	partSize  = 1 << 20  // of a content that does not fit in one part
	smallSize = 64 << 10 // up to it, contents are gathered
	mostSmall = 1 << 20  // bytes that are gathered
)

// sum is the key of a content.
type sum = [32]byte

// blobs are checkpoint.Blobs. Small contents are gathered, so that they cost no
// round trip and no commit each.
type blobs struct {
	store *Store
	turn  chan struct{} // whoever is in it may flush

	mu       sync.Mutex
	gathered map[sum][]byte
	size     int // of these
}

// Put keeps content; see checkpoint.Blobs.
func (b *blobs) Put(ctx context.Context, d ledger.Digest, content io.Reader) error {
	if ctx.Err() != nil {
		return fmt.Errorf("checkpoint: put: %w", context.Cause(ctx))
	}
	key, err := d.Sum()
	if err != nil {
		return fmt.Errorf("checkpoint: put: %w", err)
	}
	var first bytes.Buffer
	n, err := io.Copy(&first, io.LimitReader(content, smallSize+1))
	switch {
	case err != nil:
		return fmt.Errorf("checkpoint: put: %w", err)
	case n <= smallSize:
		return b.gather(ctx, key, first.Bytes())
	}
	err = b.stream(ctx, key, io.MultiReader(&first, content))
	if err != nil {
		return b.store.failed(ctx, "put", err)
	}
	return nil
}

// gather keeps a small content in memory, once there is room.
func (b *blobs) gather(ctx context.Context, key sum, content []byte) error {
	for {
		b.mu.Lock()
		if b.size+len(content) <= mostSmall {
			if _, there := b.gathered[key]; !there {
				if b.gathered == nil {
					b.gathered = map[sum][]byte{}
				}
				b.gathered[key] = content
				b.size += len(content)
			}
			b.mu.Unlock()
			return nil
		}
		b.mu.Unlock()
		if err := b.flush(ctx, "put"); err != nil {
			return err
		}
	}
}

// flush puts what was gathered before, in one transaction. What cannot be put
// stays gathered.
func (b *blobs) flush(ctx context.Context, what string) error {
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-ctx.Done():
		return fmt.Errorf("checkpoint: %s: %w", what, context.Cause(ctx))
	}
	b.mu.Lock()
	// Sorted, so that two that put the same contents wait for each other and not
	// forever.
	keys := slices.SortedFunc(maps.Keys(b.gathered), func(a, b sum) int { return bytes.Compare(a[:], b[:]) })
	digests, contents := make([][]byte, len(keys)), make([][]byte, len(keys))
	for i, k := range keys {
		digests[i], contents[i] = k[:], b.gathered[k]
	}
	b.mu.Unlock()
	if len(keys) == 0 {
		return nil
	}
	err := b.store.ask(ctx, what, func(ctx context.Context) error {
		_, err := b.store.pool.Exec(ctx, `INSERT INTO planlock.contents (digest, part, data)
			SELECT digest, 0, data FROM unnest($1::bytea[], $2::bytea[]) AS gathered (digest, data)
			ON CONFLICT (digest, part) DO UPDATE SET put = clock_timestamp()
				WHERE contents.put < clock_timestamp() - $3::interval`, digests, contents, checkpoint.RenewAfter)
		return err
	})
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, k := range keys {
		delete(b.gathered, k)
		b.size -= len(contents[i])
	}
	return nil
}

// stream puts a large content in one transaction, of which there is one part in
// memory. Who puts the same at the same time waits at the first part. Its time is
// that of its last part, or that at which it was found.
func (b *blobs) stream(ctx context.Context, key sum, content io.Reader) error {
	return pgx.BeginFunc(ctx, b.store.pool, func(tx pgx.Tx) error {
		do := func(what string, args ...any) (done bool, err error) {
			attempt, cancel := context.WithTimeout(ctx, b.store.attempt)
			defer cancel()
			said, err := tx.Exec(attempt, what, args...)
			return said.RowsAffected() > 0, err
		}
		renew := func() (bool, error) {
			return do(`UPDATE planlock.contents SET put = clock_timestamp() WHERE digest = $1 AND part = 0`, key[:])
		}
		buf := make([]byte, partSize)
		for part, n := 0, partSize; n == partSize; part++ {
			var err error
			n, err = io.ReadFull(content, buf)
			if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
				return err
			}
			for put := n == 0; !put; put = put || part > 0 {
				if part == 0 {
					if there, err := renew(); there || err != nil {
						return err
					}
				}
				put, err = do(`INSERT INTO planlock.contents (digest, part, data) VALUES ($1, $2, $3)
					ON CONFLICT DO NOTHING`, key[:], part, buf[:n])
				if err != nil {
					return err
				}
			}
		}
		_, err := renew()
		return err
	})
}

// small is a content that is gathered.
func (b *blobs) small(key sum) (content []byte, there bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	content, there = b.gathered[key]
	return content, there
}

// Get opens content; see checkpoint.Blobs.
func (b *blobs) Get(ctx context.Context, d ledger.Digest) (io.ReadCloser, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("checkpoint: get: %w", context.Cause(ctx))
	}
	key, err := d.Sum()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", checkpoint.ErrNotFound, err)
	}
	if content, there := b.small(key); there {
		return io.NopCloser(bytes.NewReader(content)), nil
	}
	r := &reader{ctx: ctx, store: b.store, key: key}
	if err := r.next(); err == io.EOF {
		return nil, fmt.Errorf("%w: %q in %s", checkpoint.ErrNotFound, string(d), b.store.where)
	} else if err != nil {
		return nil, err
	}
	return r, nil
}

// A reader reads a content part by part, and holds no connection in between.
type reader struct {
	ctx   context.Context
	store *Store
	key   sum
	part  int // the next one
	data  []byte
	last  bool
}

// next reads the next part; io.EOF where there is none.
func (r *reader) next() error {
	if r.last {
		return io.EOF
	}
	err := r.store.ask(r.ctx, "get", func(ctx context.Context) error {
		r.data = nil
		err := r.store.pool.QueryRow(ctx, `SELECT data FROM planlock.contents WHERE digest = $1 AND part = $2`,
			r.key[:], r.part).Scan(&r.data)
		if r.last = errors.Is(err, pgx.ErrNoRows); r.last {
			return nil
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case r.last:
		return io.EOF
	}
	r.part++
	r.last = len(r.data) < partSize
	return nil
}

// Read reads on.
func (r *reader) Read(p []byte) (int, error) {
	for len(r.data) == 0 {
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.data)
	r.data = r.data[n:]
	return n, nil
}

// Close ends reading.
func (r *reader) Close() error {
	r.data, r.last = nil, true
	return nil
}

// Has reports whether content is kept; see checkpoint.Blobs.
func (b *blobs) Has(ctx context.Context, d ledger.Digest) (has bool, err error) {
	key, err := d.Sum()
	if err != nil {
		return false, fmt.Errorf("checkpoint: has: %w", err)
	}
	if _, there := b.small(key); there && ctx.Err() == nil {
		return true, nil
	}
	err = b.store.ask(ctx, "has", func(ctx context.Context) error {
		old := false
		err := b.store.pool.QueryRow(ctx, `SELECT put < clock_timestamp() - $2::interval FROM planlock.contents
			WHERE digest = $1 AND part = 0`, key[:], checkpoint.RenewAfter).Scan(&old)
		if has = err == nil; !has || !old {
			if errors.Is(err, pgx.ErrNoRows) {
				err = nil
			}
			return err
		}
		// A collection that is removing it is waited for.
		said, err := b.store.pool.Exec(ctx, `UPDATE planlock.contents SET put = clock_timestamp()
			WHERE digest = $1 AND part = 0`, key[:])
		has = said.RowsAffected() > 0
		return err
	})
	return has && err == nil, err
}

// Sync commits what was gathered; all else is committed.
func (b *blobs) Sync(ctx context.Context) error {
	if ctx.Err() != nil {
		return fmt.Errorf("checkpoint: sync: %w", context.Cause(ctx))
	}
	return b.flush(ctx, "sync")
}

// WriteGathered lets others see what was put; see checkpoint.Blobs.
func (b *blobs) WriteGathered() error { return b.flush(context.Background(), "put") }
