package sqlite

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/ledger"
)

var _ checkpoint.Collector = (*blobs)(nil)

// Journals are those of the one workspace; see checkpoint.Collector.
func (b *blobs) Journals(context.Context) (map[string]checkpoint.Runs, error) {
	return map[string]checkpoint.Runs{"": b.s.Runs()}, nil
}

// Collect removes contents; see checkpoint.Collector. Some are removed in one
// commit, so that nobody waits long.
func (b *blobs) Collect(ctx context.Context, needed iter.Seq2[ledger.Digest, error], grace time.Duration,
	dryRun bool) (freed checkpoint.Collected, err error) {
	before := time.Now().Add(-grace)
	keep, err := checkpoint.NeededFor(ctx, needed, grace)
	if err != nil {
		return freed, err
	}
	for last := int64(0); ; {
		list, err := b.s.listed(ctx, last)
		if err != nil {
			return freed, b.s.explain("collect", err)
		}
		if len(list) == 0 {
			return freed, nil
		}
		last = list[len(list)-1].id
		var old []aged
		for _, c := range list {
			key, err := c.digest.Sum()
			switch {
			case err == nil && keep[key]:
				freed.Kept++
			case c.at < before.Unix():
				old = append(old, c)
			default:
				freed.Young++
			}
		}
		for n := 0; !dryRun && n < len(old); {
			some := old[n:upTo(old, n)]
			err := b.s.write(ctx, func(ctx context.Context) error { return b.s.remove(ctx, some, before) })
			if err != nil {
				return freed, b.s.explain("collect", err)
			}
			n += len(some)
		}
		for _, c := range old {
			if c.found {
				freed.Young++
				continue
			}
			freed.Contents++
			freed.Bytes += c.bytes
		}
	}
}

// An aged content is one that may be removed.
type aged struct {
	id     int64
	digest ledger.Digest
	at     int64 // seconds
	bytes  int64
	found  bool // by somebody, when it was to be removed
}

// upTo is behind the last of those contents from n on that are removed in one
// commit.
func upTo(old []aged, n int) int {
	const most = 64 << 20 // bytes, unless one has more
	for size := old[n].bytes; ; size += old[n].bytes {
		if n++; n == len(old) || size+old[n].bytes > most {
			return n
		}
	}
}

// listed are some contents behind one, the lowest first.
func (s *Store) listed(ctx context.Context, behind int64) (list []aged, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	rows, err := s.db.QueryContext(ctx, `SELECT id, digest, at,
		(SELECT coalesce(sum(length(bytes)), 0) FROM pieces WHERE content = contents.id)
		FROM contents WHERE id > ? AND digest IS NOT NULL ORDER BY id LIMIT 200`, behind)
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var c aged
		if err := rows.Scan(&c.id, &c.digest, &c.at, &c.bytes); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		list = append(list, c)
	}
	return list, errors.Join(rows.Err(), rows.Close())
}

// remove removes those of some contents that nobody put or found meanwhile.
func (s *Store) remove(ctx context.Context, old []aged, before time.Time) error {
	for i, c := range old {
		gone, err := s.changed(ctx, "DELETE FROM contents WHERE id = ? AND at < ?", c.id, before.Unix())
		if err == nil && gone {
			_, err = s.conn.ExecContext(ctx, "DELETE FROM pieces WHERE content = ?", c.id)
		}
		if err != nil {
			return err
		}
		old[i].found = !gone
	}
	return nil
}
