package postgres

import (
	"bytes"
	"context"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/ledger"
)

var _ checkpoint.Collector = (*blobs)(nil)

// Journals are those of all workspaces of the database; see
// checkpoint.Collector.
func (b *blobs) Journals(ctx context.Context) (map[string]checkpoint.Runs, error) {
	all := map[string]checkpoint.Runs{}
	err := b.store.ask(ctx, "list workspaces", func(ctx context.Context) error {
		rows, err := b.store.pool.Query(ctx, `SELECT workspace FROM planlock.logs UNION SELECT workspace FROM planlock.claims`)
		if err != nil {
			return err
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		for _, name := range names {
			s := *b.store
			s.workspace = name
			all[name] = runs{&s}
		}
		return err
	})
	return all, err
}

// Collect removes contents; see checkpoint.Collector. It goes through them in the
// order of their digests, and many are removed in one statement.
func (b *blobs) Collect(ctx context.Context, needed iter.Seq2[ledger.Digest, error], grace time.Duration,
	dryRun bool) (freed checkpoint.Collected, err error) {
	var before time.Time
	err = b.store.ask(ctx, "collect", func(ctx context.Context) error {
		return b.store.pool.QueryRow(ctx, `SELECT clock_timestamp() - $1::interval`, grace).Scan(&before)
	})
	if err != nil {
		return freed, err
	}
	keep, err := checkpoint.NeededFor(ctx, needed, grace)
	if err != nil {
		return freed, err
	}
	const many = 200
	for last := []byte{}; ; {
		list, err := b.listed(ctx, last, many)
		if err != nil || len(list) == 0 {
			return freed, err
		}
		last = list[len(list)-1].Digest
		var old []aged
		for _, c := range list {
			switch {
			case keep[sum(c.Digest)]:
				freed.Kept++
			case c.Put.Before(before):
				old = append(old, c)
			default:
				freed.Young++
			}
		}
		gone := old
		if !dryRun && len(old) > 0 {
			if gone, err = b.remove(ctx, old, before); err != nil {
				return freed, err
			}
		}
		freed.Young += len(old) - len(gone)
		freed.Contents += len(gone)
		for _, c := range gone {
			freed.Bytes += c.Bytes
		}
	}
}

// An aged content is one that may be removed.
type aged struct {
	Digest []byte
	Put    time.Time
	Bytes  int64
}

// listed are so many contents behind a digest.
func (b *blobs) listed(ctx context.Context, behind []byte, many int) (list []aged, err error) {
	err = b.store.ask(ctx, "collect", func(ctx context.Context) error {
		rows, err := b.store.pool.Query(ctx, `SELECT digest, put,
				(SELECT sum(octet_length(data)) FROM planlock.contents AS parts WHERE parts.digest = contents.digest)
			FROM planlock.contents WHERE part = 0 AND digest > $1 ORDER BY digest LIMIT $2`, behind, many)
		if err == nil {
			list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[aged])
		}
		return err
	})
	return list, err
}

// remove removes those of some contents that nobody put or found meanwhile, and
// returns them. One that somebody is putting or finding is passed by, so that
// nobody waits for a collection that waits for him.
func (b *blobs) remove(ctx context.Context, old []aged, before time.Time) (gone []aged, err error) {
	digests := make([][]byte, len(old))
	for i, c := range old {
		digests[i] = c.Digest
	}
	var removed [][]byte
	err = b.store.ask(ctx, "collect", func(ctx context.Context) error {
		rows, err := b.store.pool.Query(ctx, `
			WITH old AS (SELECT digest FROM planlock.contents WHERE digest = ANY ($1) AND part = 0 AND put < $2
				FOR UPDATE SKIP LOCKED),
			gone AS (DELETE FROM planlock.contents USING old WHERE contents.digest = old.digest)
			SELECT digest FROM old`, digests, before)
		if err == nil {
			removed, err = pgx.CollectRows(rows, pgx.RowTo[[]byte])
		}
		return err
	})
	for _, d := range removed {
		for _, c := range old {
			if bytes.Equal(c.Digest, d) {
				gone = append(gone, c)
			}
		}
	}
	return gone, err
}
