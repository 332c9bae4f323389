package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
)

// maxBatch is how many bytes a batch may have, with four for each record.
const maxBatch = 64 << 20

// log is a checkpoint.LogWriter. It has a connection of its own, whose session
// has the lock. The lock keeps others from opening the log while its writer
// lives; the epoch is what makes it the only one.
type log struct {
	reading
	lock  int64
	epoch int64

	turn   chan struct{} // whoever is in it may use what follows
	conn   *pgx.Conn     // may be closed: then there is a new one the next time
	size   int64         // records that are committed
	loose  bool          // the last of them perhaps not on the disk of the server
	dead   error
	closed atomic.Bool
	shut   chan struct{} // closed by Close
}

var _ checkpoint.LogWriter = (*log)(nil)

// Replay yields the records; see checkpoint.Log.
func (l *log) Replay(ctx context.Context) iter.Seq2[[]byte, error] {
	return unlessClosed(l.closed.Load(), l.reading.Replay(ctx))
}

// Append commits batch; see checkpoint.Log.
func (l *log) Append(ctx context.Context, batch [][]byte) error { return l.add(ctx, batch, true) }

// Write commits batch without waiting for the disk of the server; see
// checkpoint.LogWriter.
//
// That is right since commits reach that disk in their order: an Append that
// comes later waits for all before it. What a crash of the server takes is then
// missed by the position that the next batch states, and is nothing that was
// appended.
func (l *log) Write(ctx context.Context, batch [][]byte) error { return l.add(ctx, batch, false) }

// Hasten does nothing: the server writes what was committed by itself, a few
// times a second.
func (l *log) Hasten() {}

// Sync has the server write what was committed; see checkpoint.LogWriter.
func (l *log) Sync(ctx context.Context) error {
	leave, err := l.enter(ctx, "sync")
	if err != nil {
		return err
	}
	defer leave()
	if !l.loose {
		return nil
	}
	return l.does(ctx, "sync", l.settle)
}

// enter waits until nobody else adds, and says why nothing can be added any
// more, or not for ctx.
func (l *log) enter(ctx context.Context, what string) (leave func(), err error) {
	ended := func() error { return fmt.Errorf("checkpoint: %s: %w", what, context.Cause(ctx)) }
	if ctx.Err() != nil {
		return nil, ended()
	}
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ended()
	}
	leave = func() { <-l.turn }
	if err = l.dead; l.closed.Load() {
		err = fmt.Errorf("checkpoint: %s: %w", what, checkpoint.ErrClosed)
	}
	if err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// add adds a batch as one statement.
func (l *log) add(ctx context.Context, batch [][]byte, durable bool) error {
	leave, err := l.enter(ctx, "append")
	if err != nil {
		return err
	}
	defer leave()
	if len(batch) == 0 {
		return nil
	}
	a, err := l.addition(batch, durable)
	if err != nil {
		return err
	}
	if err := l.does(ctx, "append", func(ctx context.Context) error { return l.send(ctx, a) }); err != nil {
		return err
	}
	l.size += int64(len(batch))
	l.loose = !durable
	return nil
}

// An addition is a batch in its place.
type addition struct {
	position int64
	records  [][]byte
	bytes    int64
	key      []byte
	durable  bool
}

func (l *log) addition(batch [][]byte, durable bool) (*addition, error) {
	a := &addition{position: l.size, records: make([][]byte, len(batch)), durable: durable}
	h := sha256.New()
	for i, r := range batch {
		a.bytes += int64(len(r))
		a.records[i] = present(r)
		_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(r)))) // it never fails
		_, _ = h.Write(r)
	}
	if a.bytes+4*int64(len(batch)) > maxBatch {
		return nil, fmt.Errorf("%w: a batch of %d records and %d bytes, log %q takes %d MiB", record.ErrTooLarge,
			len(batch), a.bytes, l.name, maxBatch>>20)
	}
	a.key = h.Sum(nil)
	return a, nil
}

// send has the server take a batch where the log has the epoch of this writer
// and ends where the batch begins. Where it does not, the batch may be there
// already, since the answer to an earlier attempt was lost.
func (l *log) send(ctx context.Context, a *addition) error {
	said, err := l.conn.Exec(ctx, `WITH mine AS (
			UPDATE planlock.logs SET size = size + $4 WHERE id = $1 AND epoch = $2 AND size = $3
				AND ($8 OR set_config('synchronous_commit', 'off', true) = 'off') RETURNING id)
		INSERT INTO planlock.batches (log, epoch, position, key, bytes, records)
		SELECT id, $2, $3, $5::bytea, $6::bigint, $7::bytea[] FROM mine`,
		l.id, l.epoch, a.position, int64(len(a.records)), a.key, a.bytes, a.records, a.durable)
	if err != nil || said.RowsAffected() == 1 {
		return err
	}
	there := false
	err = l.conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM planlock.batches
		WHERE log = $1 AND position = $2 AND epoch = $3 AND key = $4)`, l.id, a.position, l.epoch, a.key).Scan(&there)
	switch {
	case err != nil:
		return err
	case !there:
		return l.refused(ctx, a.position)
	case a.durable: // a server that went down may not have waited for its standby
		return l.durable(ctx)
	}
	return nil
}

// settle makes durable what was written, where the server still has it.
func (l *log) settle(ctx context.Context) error {
	said, err := l.conn.Exec(ctx, `UPDATE planlock.logs SET size = size WHERE id = $1 AND epoch = $2 AND size = $3`,
		l.id, l.epoch, l.size)
	switch {
	case err != nil:
		return err
	case said.RowsAffected() == 0:
		return l.refused(ctx, l.size)
	}
	l.loose = false
	return nil
}

// durable waits until all that the log has is durable, whoever has it now.
func (l *log) durable(ctx context.Context) error {
	_, err := l.conn.Exec(ctx, `UPDATE planlock.logs SET size = size WHERE id = $1`, l.id)
	return err
}

// errGap says that the log does not end where its writer knows that it did.
var errGap = errors.New("the log is another than it was")

// errRemoved says that there is no such log any more.
var errRemoved = fmt.Errorf("%w: somebody removed it", errGap)

// refused is why the server did not take what follows position.
func (l *log) refused(ctx context.Context, position int64) error {
	var epoch, size int64
	err := l.conn.QueryRow(ctx, `SELECT epoch, size FROM planlock.logs WHERE id = $1`, l.id).Scan(&epoch, &size)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return errRemoved
	case err != nil:
		return err
	case epoch != l.epoch:
		return checkpoint.ErrFenced
	}
	return fmt.Errorf("%w: it has %d records, not %d: the server crashed, or a standby that was behind took its place",
		errGap, size, position)
}

// does has the server do something on the connection of the log, which is made
// anew where it broke. After an error that leaves a doubt, or a refusal, the log
// is dead.
func (l *log) does(ctx context.Context, what string, do func(context.Context) error) error {
	err := l.store.try(ctx, func(ctx context.Context) error {
		if err := l.connected(ctx); err != nil {
			return err
		}
		err := do(ctx)
		if err != nil && lost(err) { // also where it only took too long
			l.hangUp()
		}
		return err
	})
	if err == nil {
		return nil
	}
	l.hangUp()
	if errors.Is(err, checkpoint.ErrFenced) {
		l.dead = l.fenced()
	} else {
		l.dead = fmt.Errorf("%w: %w", checkpoint.ErrDead, l.store.failed(ctx, fmt.Sprintf("%s to log %q", what, l.name), err))
	}
	return l.dead
}

// fenced is why nothing is added to a log that another one opened since.
func (l *log) fenced() error { return fmt.Errorf("%w: %s", checkpoint.ErrFenced, l.path()) }

// hangUp closes the connection, and does not wait for the server.
func (l *log) hangUp() {
	if l.conn != nil {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		_ = l.conn.Close(ended) // nobody uses it any more
	}
}

// errBusy says that somebody has the lock of a log.
var errBusy = errors.New("the lock of the log was lost with the connection, and another one has it")

// connected connects again where the connection broke, and takes the lock again,
// in the same epoch. A session of this writer that the server still has is
// ended. Where another has the lock, and no epoch yet, that is waited for.
func (l *log) connected(ctx context.Context) error {
	if !l.conn.IsClosed() {
		return nil
	}
	conn, err := l.store.connect(ctx)
	if err != nil {
		return err
	}
	got, epoch := false, l.epoch
	err = conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, l.lock).Scan(&got)
	if err == nil && !got {
		high, low := halves(l.lock)
		_, err = conn.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_locks
			WHERE locktype = 'advisory' AND granted AND pid = $1 AND objsubid = 1
				AND classid = $2::bigint::oid AND objid = $3::bigint::oid`,
			l.conn.PgConn().PID(), high, low)
	}
	if err == nil {
		err = conn.QueryRow(ctx, `SELECT epoch FROM planlock.logs WHERE id = $1`, l.id).Scan(&epoch)
	}
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		err = errRemoved
	case err != nil:
	case epoch != l.epoch:
		err = checkpoint.ErrFenced
	case !got:
		err = errBusy
	default:
		l.conn = conn
		return nil
	}
	_ = conn.Close(ctx) // of no use
	return err
}

// keep looks now and then, until the log is closed, whether its connection lives,
// and connects again: a writer that has nothing to add for a while must not seem to
// be gone. What it cannot do is left to whoever adds next.
func (l *log) keep(every time.Duration) {
	for tick := time.NewTicker(every); ; {
		select {
		case <-tick.C:
			l.look()
		case <-l.shut:
			tick.Stop()
			return
		}
	}
}

// look connects again where the connection broke.
func (l *log) look() {
	ctx, cancel := context.WithTimeout(context.Background(), l.store.attempt)
	defer cancel()
	leave, err := l.enter(ctx, "look")
	if err != nil {
		return
	}
	defer leave()
	if l.conn.IsClosed() || l.conn.Ping(ctx) != nil {
		l.hangUp()
		if errors.Is(l.connected(ctx), checkpoint.ErrFenced) {
			l.dead = l.fenced()
		} // else it is tried again
	}
}

// Close gives the lock back; see checkpoint.Log. What was only written is made
// durable before.
func (l *log) Close() error {
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	if l.closed.Swap(true) {
		return nil
	}
	close(l.shut)
	if l.dead != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), l.store.attempt)
	defer cancel()
	var err error
	if l.loose {
		err = l.does(ctx, "close", l.settle)
	}
	if l.conn.IsClosed() {
		return err
	}
	_, _ = l.conn.Exec(ctx, `SELECT pg_advisory_unlock($1)`, l.lock) // so that it is free now, not soon
	return errors.Join(err, l.conn.Close(ctx))
}
