package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/internal/content"
	"github.com/planlock/planlock/ledger"
)

const (
	piece = 1 << 20 // bytes of a row; what is not larger is gathered
	much  = 8 << 20 // bytes that are written in one commit

	overhead = 200 // bytes of a content that is gathered, besides it
)

// tooLong is when a content that is not whole yet was left by a crash.
const tooLong = 24 * time.Hour

// blobs are checkpoint.Blobs: small contents gather in memory, and are written
// in one commit; large ones are written piece by piece.
type blobs struct {
	s *Store

	flush sync.Mutex // held while what was gathered is written
	mu    sync.Mutex
	fresh map[ledger.Digest][]byte // gathered, and written nowhere
	size  int                      // bytes of that
}

// Put keeps content; see checkpoint.Blobs.
func (b *blobs) Put(ctx context.Context, d ledger.Digest, in io.Reader) error {
	if err := b.put(ctx, d, in); err != nil {
		return b.s.explain("put", err)
	}
	return nil
}

func (b *blobs) put(ctx context.Context, d ledger.Digest, in io.Reader) error {
	if _, err := d.Sum(); err != nil {
		return err
	}
	if has, err := b.has(ctx, d); has || err != nil {
		return err
	}
	in = content.While(ctx, in)
	first, err := readPiece(in)
	if err != nil {
		return err
	}
	if len(first) == piece {
		second, err := readPiece(in)
		if err != nil {
			return err
		}
		if len(second) > 0 {
			return b.putLarge(ctx, d, [][]byte{first, second}, in)
		}
	}
	if b.gather(d, first) < much {
		return nil
	}
	if err = b.write(ctx); err != nil {
		b.let(map[ledger.Digest][]byte{d: first})
	}
	return err
}

// readPiece reads up to a piece.
func readPiece(in io.Reader) ([]byte, error) {
	var b bytes.Buffer
	_, err := io.CopyN(&b, in, piece)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return nonNil(b.Bytes()), err
}

// gather holds a small content in memory, and returns how much there is.
func (b *blobs) gather(d ledger.Digest, text []byte) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fresh == nil {
		b.fresh = map[ledger.Digest][]byte{}
	}
	if _, there := b.fresh[d]; !there {
		b.fresh[d] = text
		b.size += len(text) + overhead
	}
	return b.size
}

// putLarge writes a content that begins with some pieces. It has its name once it
// is whole.
func (b *blobs) putLarge(ctx context.Context, d ledger.Digest, pieces [][]byte, in io.Reader) (err error) {
	id, n := rand.Int64(), 0
	defer func() {
		if err != nil && n > 0 {
			_ = b.s.write(context.WithoutCancel(ctx), func(ctx context.Context) error { return b.s.forget(ctx, id) })
		}
	}()
	for ended := false; !ended; pieces = nil {
		for len(pieces) < much/piece && !ended {
			next, err := readPiece(in)
			if err != nil {
				return err
			}
			if len(next) > 0 {
				pieces = append(pieces, next)
			}
			ended = len(next) < piece
		}
		err := b.s.write(ctx, func(ctx context.Context) error {
			if err := b.s.add(ctx, id, n, pieces); err != nil || !ended {
				return err
			}
			return b.s.name(ctx, id, d)
		})
		if err != nil {
			return err
		}
		n += len(pieces)
	}
	return nil
}

// add adds pieces to a content that is not whole, the first of which is the nth.
func (s *Store) add(ctx context.Context, id int64, n int, pieces [][]byte) error {
	if n == 0 {
		_, err := s.conn.ExecContext(ctx, "INSERT INTO contents (id, at) VALUES (?, ?)", id, time.Now().Unix())
		if err != nil {
			return err
		}
	}
	for i, p := range pieces {
		_, err := s.conn.ExecContext(ctx, "INSERT INTO pieces (content, n, bytes) VALUES (?, ?, ?)", id, n+i, p)
		if err != nil {
			return err
		}
	}
	return nil
}

// name says that a content is whole. Where another one has that digest, it is
// not needed.
func (s *Store) name(ctx context.Context, id int64, d ledger.Digest) error {
	named, err := s.changed(ctx, "UPDATE OR IGNORE contents SET digest = ?, at = ? WHERE id = ?", string(d), time.Now().Unix(), id)
	if named || err != nil {
		return err
	}
	there, err := s.renew(ctx, d)
	if err == nil && !there {
		err = fmt.Errorf("the content took more than %v to put, and was taken for what a crash left: put it again", tooLong)
	}
	if err != nil {
		return err
	}
	return s.forget(ctx, id)
}

// renew says that a content was found, if it is there.
func (s *Store) renew(ctx context.Context, d ledger.Digest) (there bool, err error) {
	return s.changed(ctx, "UPDATE contents SET at = ? WHERE digest = ?", time.Now().Unix(), string(d))
}

// changed reports whether a statement changed anything.
func (s *Store) changed(ctx context.Context, what string, args ...any) (bool, error) {
	done, err := s.conn.ExecContext(ctx, what, args...)
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n > 0, err
}

// forget removes a content that is not whole.
func (s *Store) forget(ctx context.Context, id int64) error {
	for _, what := range []string{"DELETE FROM pieces WHERE content = ?", "DELETE FROM contents WHERE id = ? AND digest IS NULL"} {
		if _, err := s.conn.ExecContext(ctx, what, id); err != nil {
			return err
		}
	}
	return nil
}

// forgetUnfinished removes what crashes left of contents.
func (s *Store) forgetUnfinished(ctx context.Context) error {
	rows, err := s.conn.QueryContext(ctx, "SELECT id FROM contents WHERE digest IS NULL AND at < ?", time.Now().Add(-tooLong).Unix())
	if err != nil {
		return err
	}
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return errors.Join(err, rows.Close())
		}
		ids = append(ids, id)
	}
	err = errors.Join(rows.Err(), rows.Close())
	for _, id := range ids {
		err = errors.Join(err, s.forget(ctx, id))
	}
	return err
}

// WriteGathered writes what was gathered, so that other processes see it.
func (b *blobs) WriteGathered() error {
	if err := b.write(context.Background()); err != nil {
		return b.s.explain("write contents", err)
	}
	return nil
}

// write writes what was gathered in one commit. Whoever calls it while somebody
// else does waits for that.
func (b *blobs) write(ctx context.Context) error {
	b.flush.Lock()
	defer b.flush.Unlock()
	b.mu.Lock()
	now := maps.Clone(b.fresh)
	b.mu.Unlock()
	if len(now) == 0 {
		return ctx.Err()
	}
	err := b.s.write(ctx, func(ctx context.Context) error {
		for d, text := range now {
			id := rand.Int64()
			if err := errors.Join(b.s.add(ctx, id, 0, [][]byte{text}), b.s.name(ctx, id, d)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.let(now)
	return nil
}

// let lets go of contents that were gathered.
func (b *blobs) let(these map[ledger.Digest][]byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for d, text := range these {
		if _, there := b.fresh[d]; there {
			delete(b.fresh, d)
			b.size -= len(text) + overhead
		}
	}
}

// Sync makes what was put durable; see checkpoint.Blobs.
func (b *blobs) Sync(ctx context.Context) error {
	if err := b.write(ctx); err != nil {
		return b.s.explain("sync", err)
	}
	return nil
}

// Has reports whether content is kept; see checkpoint.Blobs.
func (b *blobs) Has(ctx context.Context, d ledger.Digest) (bool, error) {
	has, err := b.has(ctx, d)
	if err != nil {
		return false, b.s.explain("has", err)
	}
	return has, nil
}

func (b *blobs) has(ctx context.Context, d ledger.Digest) (bool, error) {
	if _, fresh := b.gathered(d); fresh || ctx.Err() != nil {
		return fresh && ctx.Err() == nil, ctx.Err()
	}
	_, at, err := b.find(ctx, d)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil || time.Since(at) < checkpoint.RenewAfter:
		return err == nil, err
	}
	has := false
	err = b.s.transact(ctx, func(ctx context.Context) (err error) { // what refers to it is durable after it
		has, err = b.s.renew(ctx, d)
		return err
	}, true)
	return has && err == nil, err
}

// gathered is a content that is held in memory.
func (b *blobs) gathered(d ledger.Digest) ([]byte, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text, ok := b.fresh[d]
	return text, ok
}

// find finds a content, and when it was put or found last.
func (b *blobs) find(ctx context.Context, d ledger.Digest) (id int64, at time.Time, err error) {
	var seconds int64
	err = b.s.db.QueryRowContext(ctx, "SELECT id, at FROM contents WHERE digest = ?", string(d)).Scan(&id, &seconds)
	return id, time.Unix(seconds, 0), err
}

// Get opens a content; see checkpoint.Blobs.
func (b *blobs) Get(ctx context.Context, d ledger.Digest) (io.ReadCloser, error) {
	if ctx.Err() != nil {
		return nil, b.s.explain("get", context.Cause(ctx))
	}
	if text, ok := b.gathered(d); ok {
		return io.NopCloser(bytes.NewReader(text)), nil
	}
	id, _, err := b.find(ctx, d)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, fmt.Errorf("%w: %q in %q", checkpoint.ErrNotFound, string(d), b.s.path)
	case err != nil:
		return nil, b.s.explain("get", err)
	}
	return &reader{ctx: ctx, s: b.s, id: id}, nil
}

// A reader reads a content, a piece at a time.
type reader struct {
	ctx  context.Context
	s    *Store
	id   int64
	n    int
	rest []byte
	end  error
}

// Read implements io.Reader.
func (r *reader) Read(into []byte) (int, error) {
	for len(r.rest) == 0 && r.end == nil {
		r.end = r.s.db.QueryRowContext(r.ctx, "SELECT bytes FROM pieces WHERE content = ? AND n = ?", r.id, r.n).Scan(&r.rest)
		if errors.Is(r.end, sql.ErrNoRows) {
			r.end = io.EOF
		} else if r.end != nil {
			r.end = r.s.explain("read", r.end)
		}
		r.n++
	}
	if len(r.rest) == 0 {
		return 0, r.end
	}
	n := copy(into, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close ends reading. Nothing is open between two pieces.
func (r *reader) Close() error {
	r.rest, r.end = nil, checkpoint.ErrClosed
	return nil
}
