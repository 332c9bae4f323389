package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
)

// reading is a log as it is read: by pages, which hold no connection in between.
type reading struct {
	store *Store
	name  string
	id    int64
}

// path is the name of the log among those of all databases, for people.
func (l reading) path() string {
	return fmt.Sprintf("log %s of workspace %s in %s", l.name, l.store.workspace, l.store.where)
}

// A batch lies behind position records.
type batch struct {
	Position int64
	Records  [][]byte
}

// Replay yields the records that were appended before it began; see
// checkpoint.Log.
func (l reading) Replay(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		size, err := l.length(ctx)
		for at := int64(0); err == nil && at < size; {
			var page []batch
			page, err = l.page(ctx, at)
			if err == nil && len(page) == 0 {
				err = l.corrupt(at, "it is missing, and a later one was committed")
			}
			for _, b := range page {
				if b.Position != at {
					err = l.corrupt(at, "it is missing, and there are later ones")
					break
				}
				for _, r := range b.Records {
					if ctx.Err() != nil {
						yield(nil, fmt.Errorf("checkpoint: replay: %w", context.Cause(ctx)))
						return
					}
					if !yield(r, nil) {
						return
					}
				}
				at += int64(len(b.Records))
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func (l reading) corrupt(at int64, why string) error {
	return &record.CorruptError{Name: l.path(), Seq: uint64(at) + 1, Why: why}
}

// length is how many records the log has.
func (l reading) length(ctx context.Context) (size int64, err error) {
	err = l.store.ask(ctx, "replay", func(ctx context.Context) error {
		err := l.store.pool.QueryRow(ctx, `SELECT size FROM planlock.logs WHERE id = $1`, l.id).Scan(&size)
		if errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("%w: somebody removed log %q", checkpoint.ErrNotFound, l.name)
		}
		return err
	})
	return size, err
}

// page is the batches from a position on: one, and as many more as make 4 MiB
// with those before them.
func (l reading) page(ctx context.Context, from int64) (page []batch, err error) {
	err = l.store.ask(ctx, "replay", func(ctx context.Context) error {
		rows, err := l.store.pool.Query(ctx, `SELECT position, records FROM (
				SELECT position, records, bytes, sum(bytes) OVER (ORDER BY position) - bytes AS before
				FROM planlock.batches WHERE log = $1 AND position >= $2 ORDER BY position LIMIT 512) AS next
			WHERE before = 0 OR before + bytes <= 4194304 ORDER BY position`, l.id, from)
		if err == nil {
			page, err = pgx.CollectRows(rows, pgx.RowToStructByPos[batch])
		}
		return err
	})
	return page, err
}

// errReadOnly is returned by what adds to a log that was opened for reading.
var errReadOnly = errors.New("checkpoint: opened for reading only")

// readOnly is a log that is only read.
type readOnly struct {
	reading
	closed atomic.Bool
}

// Append refuses.
func (l *readOnly) Append(context.Context, [][]byte) error {
	return fmt.Errorf("checkpoint: append: %w", errReadOnly)
}

// Replay yields the records; see checkpoint.Log.
func (l *readOnly) Replay(ctx context.Context) iter.Seq2[[]byte, error] {
	return unlessClosed(l.closed.Load(), l.reading.Replay(ctx))
}

// Close ends reading.
func (l *readOnly) Close() error {
	l.closed.Store(true)
	return nil
}

// unlessClosed refuses to replay a log that is closed.
func unlessClosed(closed bool, records iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
	if !closed {
		return records
	}
	return func(yield func([]byte, error) bool) {
		yield(nil, fmt.Errorf("checkpoint: replay: %w", checkpoint.ErrClosed))
	}
}
