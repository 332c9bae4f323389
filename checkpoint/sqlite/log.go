package sqlite

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"sync"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
)

const (
	maxBatch = 64 << 20 // bytes of records that are appended at once
	maxPage  = 1 << 20  // bytes of records that are replayed at once; one may have more
)

// A log is a checkpoint.LogWriter.
type log struct {
	s    *Store
	name string
	id   int64

	mu     sync.Mutex
	epoch  int64
	length int64    // records that this writer knows of
	loose  bool     // something was written, and not synced
	over   error    // why nothing is added any more
	lock   *os.File // nil: none
}

// Append adds records in one commit; see checkpoint.Log.
func (l *log) Append(ctx context.Context, batch [][]byte) error { return l.add(ctx, batch, false) }

// Write adds records in a commit that is not synced by itself; see
// checkpoint.LogWriter.
func (l *log) Write(ctx context.Context, batch [][]byte) error { return l.add(ctx, batch, true) }

func (l *log) add(ctx context.Context, batch [][]byte, later bool) error {
	size := 0
	for _, r := range batch {
		size += len(r) + 4
	}
	if size > maxBatch {
		return fmt.Errorf("sqlite: append to log %q: %w: %d bytes", l.name, record.ErrTooLarge, size)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.commit(ctx, later, func(ctx context.Context) error {
		if err := l.claim(ctx, len(batch)); err != nil {
			return err
		}
		for i, r := range batch {
			_, err := l.s.conn.ExecContext(ctx, "INSERT INTO records (log, n, bytes) VALUES (?, ?, ?)", l.id,
				l.length+int64(i), nonNil(r))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("sqlite: append to log %q: %w", l.name, err)
	}
	l.length += int64(len(batch))
	return nil
}

// Hasten does nothing: the system writes when it likes.
func (l *log) Hasten() {}

// Sync makes durable what was written; see checkpoint.LogWriter. SQLite syncs
// where a commit changes something.
func (l *log) Sync(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.loose && l.over == nil && ctx.Err() == nil {
		return nil
	}
	err := l.commit(ctx, false, func(ctx context.Context) error {
		if err := l.claim(ctx, 0); err != nil {
			return err
		}
		_, err := l.s.conn.ExecContext(ctx, "UPDATE logs SET synced = length WHERE id = ?", l.id)
		return err
	})
	if err != nil {
		return fmt.Errorf("sqlite: sync log %q: %w", l.name, err)
	}
	return nil
}

// commit writes to the log. Once it is not known what the file holds, or another
// writer has it, nothing more is written.
func (l *log) commit(ctx context.Context, later bool, do func(context.Context) error) error {
	if l.over != nil {
		return l.over
	}
	err := l.s.transact(ctx, do, later)
	switch unknown := (errUnknown{}); {
	case err == nil:
		l.loose = later
		return nil
	case errors.As(err, &unknown):
		l.over = fmt.Errorf("%w: %w", checkpoint.ErrDead, l.s.explain("commit", err))
		return l.over
	case errors.Is(err, checkpoint.ErrFenced), errors.Is(err, checkpoint.ErrDead):
		l.over = err
		return err
	}
	return l.s.explain("append", err)
}

// claim makes room for n records, if the log still is this writer's, and as long
// as he left it.
func (l *log) claim(ctx context.Context, n int) error {
	done, err := l.s.conn.ExecContext(ctx, "UPDATE logs SET length = length + ? WHERE id = ? AND epoch = ? AND length = ?", n,
		l.id, l.epoch, l.length)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); n > 0 || err != nil {
		return err
	}
	var epoch, length int64
	err = l.s.conn.QueryRowContext(ctx, "SELECT epoch, length FROM logs WHERE id = ?", l.id).Scan(&epoch, &length)
	if err == nil && epoch != l.epoch {
		return checkpoint.ErrFenced
	}
	return fmt.Errorf("%w: somebody else changed it: it has %d records, and had %d (%v), open it again", checkpoint.ErrDead,
		length, l.length, err)
}

// Replay yields the records, page by page; see checkpoint.Log.
func (l *log) Replay(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var length, n int64
		err := context.Cause(ctx)
		if err == nil {
			err = l.s.db.QueryRowContext(ctx, "SELECT length FROM logs WHERE id = ?", l.id).Scan(&length)
		}
		for err == nil {
			var records [][]byte
			records, err = l.page(ctx, n)
			for _, r := range records {
				if !yield(r, nil) {
					return
				}
				n++
			}
			if len(records) == 0 {
				break
			}
		}
		if err == nil && n < length {
			err = l.corrupt(n, fmt.Sprintf("it ends here, and had %d records", length))
		}
		if err != nil {
			yield(nil, l.s.explain("replay log "+l.name, err))
		}
	}
}

// page reads some records from the nth on. What is whole comes before an error.
func (l *log) page(ctx context.Context, n int64) (records [][]byte, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	rows, err := l.s.db.QueryContext(ctx, "SELECT n, bytes FROM records WHERE log = ? AND n >= ? ORDER BY n LIMIT 1000", l.id, n)
	if err != nil {
		return nil, err
	}
	for size := 0; size < maxPage && rows.Next(); n++ {
		var at int64
		var bytes []byte
		if err = rows.Scan(&at, &bytes); err == nil && at != n {
			err = l.corrupt(n, "it is missing")
		}
		if err != nil {
			break
		}
		records, size = append(records, bytes), size+len(bytes)
	}
	return records, errors.Join(err, rows.Err(), rows.Close())
}

// corrupt says that the nth record is wrong.
func (l *log) corrupt(n int64, why string) error {
	return &record.CorruptError{Name: l.name, Seq: uint64(n) + 1, Why: why}
}

// Close releases the log; see checkpoint.Log.
func (l *log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over == nil {
		l.over = checkpoint.ErrClosed
	}
	return l.s.explain("close log", l.release())
}
