package postgres

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"github.com/planlock/planlock/exec/remote"
)

// schema has the tables of River.
const schema = "planlock_jobs"

// kept is how long jobs are kept that have ended.
const kept = 7 * 24 * time.Hour

// Config says what of a database a Queue uses. The zero value is ready.
type Config struct {
	// Workspace is the name of what jobs belong to; "" is "default". Workers get
	// those of their own workspace alone.
	Workspace string
}

// A Queue is both sides of a queue: a [remote.Queue] for owners of runs, and a
// [remote.Source] for workers. It is safe for concurrent use.
type Queue struct {
	workspace string
	where     string // the database and its host, for people
	config    *pgx.ConnConfig
	pool      *pgxpool.Pool
	lanes     *pgxpool.Pool // each connection is had by one: a lane at work, or who is told things
	river     *river.Client[pgx.Tx]

	closed context.Context // ends with Close
	close  context.CancelFunc
	mu     sync.Mutex     // held to enter, and for what follows
	inside sync.WaitGroup // who takes jobs, has one, or listens
	listen sync.Once
	waits  map[chan struct{}]string // who waits for the end of which job, or for new ones
	trying map[int64]bool           // jobs that a lane is about to have
	next   *look                    // that has not begun

	looking sync.Mutex // held by a look
}

var (
	_ remote.Queue  = (*Queue)(nil)
	_ remote.Source = (*Queue)(nil)
)

// errURL says nothing of the URL: it may be the password that cannot be read.
var errURL = errors.New(`remote: the URL of a PostgreSQL database cannot be read: ` +
	`it has the form "postgres://USER:PASSWORD@HOST:PORT/DATABASE", special characters in a password as %XX`)

// Open connects to a database, makes the tables where there are none, and
// removes jobs that ended long ago. url is as pgx takes it,
// "postgres://USER@HOST/DATABASE"; what it does not say is in the environment of
// libpq (PGHOST, PGPASSWORD, ...).
func Open(ctx context.Context, url string, config Config) (*Queue, error) {
	c, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errURL
	}
	c.PingTimeout = 5 * time.Second
	server := c.ConnConfig
	server.ConnectTimeout = cmp.Or(server.ConnectTimeout, patience)
	host := server.Host
	if !strings.HasPrefix(host, "/") { // else the folder of a socket
		host = net.JoinHostPort(host, strconv.Itoa(int(server.Port)))
	}
	q := &Queue{
		workspace: cmp.Or(config.Workspace, "default"),
		where:     fmt.Sprintf("database %q on %q", cmp.Or(server.Database, server.User), host),
		config:    server,
		waits:     map[chan struct{}]string{},
		trying:    map[int64]bool{},
	}
	q.closed, q.close = context.WithCancel(context.Background())
	once, cancel := context.WithTimeout(ctx, attempt)
	defer cancel()
	if q.pool, err = pgxpool.NewWithConfig(ctx, c); err == nil {
		q.lanes, err = pgxpool.NewWithConfig(ctx, watched(c.Copy()))
	}
	if err == nil {
		q.river, err = river.NewClient(riverpgxv5.New(q.pool), q.settings())
	}
	if err == nil {
		err = q.makeTables(once)
	}
	if err == nil {
		err = q.tidy(once)
	}
	if err != nil {
		q.Close()
		return nil, q.failed(once, "open", err)
	}
	return q, nil
}

// Close ends all leases, has their jobs go back, and releases the connections.
func (q *Queue) Close() {
	q.mu.Lock()
	q.close()
	q.mu.Unlock()
	q.inside.Wait()
	for _, p := range []*pgxpool.Pool{q.pool, q.lanes} {
		if p != nil {
			p.Close()
		}
	}
}

// enter has Close wait for the caller to leave; it is refused once that has begun.
func (q *Queue) enter() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed.Err() != nil {
		return false
	}
	q.inside.Add(1)
	return true
}

// settings are those of all clients of River, which neither tries anything again
// nor finds out who is gone.
func (q *Queue) settings() *river.Config {
	return &river.Config{Schema: schema, Logger: slog.New(slog.DiscardHandler),
		PollOnly: true, LeaderElectionDisabled: true, MaxAttempts: 1, JobTimeout: -1}
}

// release frees the locks of a connection, and keeps it for whoever needs the next
// one. A server that is gone is not waited for.
func release(conn *pgxpool.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), second)
	defer cancel()
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_unlock_all()`); err != nil {
		_ = conn.Conn().Close(ctx) // of no use any more
	}
	conn.Release()
}

// makeTables makes the tables where there are none. Of many that do so at a time
// one does, and the others wait for it.
func (q *Queue) makeTables(ctx context.Context) error {
	conn, err := q.lanes.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release(conn)
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1, $2)`, class, tables); err != nil {
		return err
	}
	there := false
	const named = `SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1)`
	err = conn.QueryRow(ctx, named, schema).Scan(&there)
	if err == nil && !there { // else somebody with more rights has made it
		_, err = conn.Exec(ctx, "CREATE SCHEMA "+schema)
	}
	if err != nil {
		return err
	}
	m, err := rivermigrate.New(riverpgxv5.New(q.pool), &rivermigrate.Config{Schema: schema, Logger: q.settings().Logger})
	if err == nil {
		_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	return err
}

// class is that of all advisory locks: ASCII for "plan". That of the tables is
// tables, and that of a job in what asks for its row is lockOf.
const (
	class  = 0x706c616e
	tables = -1
	lockOf = "1886151022, (id % 2147483647)::int"
)

// tidy removes what ended long ago, or was left behind by all sides. River would
// do so in a client that leads the others, and would take jobs for stuck there.
func (q *Queue) tidy(ctx context.Context) error {
	long := kept.String()
	_, err := q.pool.Exec(ctx, `DELETE FROM `+schema+`.river_job WHERE finalized_at < now() - $1::interval
		OR state = 'running' AND attempted_at < now() - $1::interval AND pg_try_advisory_xact_lock(`+lockOf+`)`, long)
	if err == nil {
		_, err = q.pool.Exec(ctx, `DELETE FROM `+schema+`.river_queue WHERE updated_at < now() - $1::interval`, long)
	}
	return err
}

// An order is what is kept of a job.
type order struct {
	Workspace string     `json:"workspace"`
	Job       remote.Job `json:"job"`
}

// Kind is what River calls it.
func (order) Kind() string { return "planlock_attempt" }

// queue is that of River for a key: each job has one of its own, so that a client
// that works for it gets this job, and no other one.
func (q *Queue) queue(key string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", q.workspace, key))
	return fmt.Sprintf("job-%x", sum[:16])
}

// Submit gives a job away; see [remote.Queue].
func (q *Queue) Submit(ctx context.Context, j remote.Job) error {
	options := &river.InsertOpts{Queue: q.queue(j.Key), MaxAttempts: 1,
		UniqueOpts: river.UniqueOpts{ByQueue: true, ByState: rivertype.JobStates()}}
	return q.try(ctx, "submit", func(ctx context.Context) error {
		return pgx.BeginFunc(ctx, q.pool, func(tx pgx.Tx) error {
			if _, err := q.river.InsertTx(ctx, tx, order{q.workspace, j}, options); err != nil {
				return err
			}
			return tell(ctx, tx, newJobs, "")
		})
	})
}

// Result waits for what came of a job; see [remote.Queue]. It is told of it, and looks
// once a second whether the job is lost.
func (q *Queue) Result(ctx context.Context, key string) (r remote.Result, err error) {
	ended, leave := q.hear(q.queue(key))
	defer leave()
	for {
		over := false
		err := q.try(ctx, "result", func(ctx context.Context) (err error) {
			r, over, err = q.look(ctx, key)
			return err
		})
		if over || err != nil {
			return r, err
		}
		select {
		case <-ended:
		case <-time.After(second):
		case <-ctx.Done():
		}
	}
}

// find finds a job; nil if there is none.
func (q *Queue) find(ctx context.Context, key string) (*rivertype.JobRow, error) {
	one := river.NewJobListParams().Queues(q.queue(key)).States(rivertype.JobStates()...).First(1)
	found, err := q.river.JobList(ctx, one)
	if err != nil || len(found.Jobs) == 0 {
		return nil, err
	}
	return found.Jobs[0], nil
}

// look looks once what came of a job.
func (q *Queue) look(ctx context.Context, key string) (r remote.Result, over bool, err error) {
	row, err := q.find(ctx, key)
	switch {
	case err != nil:
		return r, false, err
	case row == nil:
		return r, true, fmt.Errorf("%w: %q was not given away", remote.ErrLost, key)
	case row.State == rivertype.JobStateCompleted:
		if err := json.Unmarshal(row.Output(), &r); err != nil {
			return r, true, fmt.Errorf("%w: what came of %q cannot be read: %w", remote.ErrLost, key, err)
		}
		return r, true, nil
	case row.FinalizedAt != nil || calledBack(row):
		return r, true, fmt.Errorf("%w: %q", remote.ErrLost, key)
	case row.State != rivertype.JobStateRunning:
		return r, false, nil
	}
	lost, err := q.lost(ctx, row.ID)
	if lost {
		return r, true, fmt.Errorf("%w: %q, which %s had", remote.ErrLost, key, row.AttemptedBy[len(row.AttemptedBy)-1])
	}
	return r, false, err
}

// lost ends a job that is carried out by nobody. Whoever takes one has its lock
// before it runs, and gives that back after.
func (q *Queue) lost(ctx context.Context, id int64) (bool, error) {
	done, err := q.pool.Exec(ctx, `UPDATE `+schema+`.river_job SET state = 'cancelled', finalized_at = now()
		WHERE id = $1 AND state = 'running' AND pg_try_advisory_xact_lock(`+lockOf+`)`, id)
	return err == nil && done.RowsAffected() > 0, err
}

// calledBack reports whether somebody called a job back that is carried out.
func calledBack(row *rivertype.JobRow) bool {
	var has struct {
		At *json.RawMessage `json:"cancel_attempted_at"`
	}
	return json.Unmarshal(row.Metadata, &has) == nil && has.At != nil
}

// Cancel calls a job back; see [remote.Queue].
func (q *Queue) Cancel(ctx context.Context, key string) error {
	return q.try(ctx, "cancel", func(ctx context.Context) error {
		row, err := q.find(ctx, key)
		if err != nil || row == nil || row.FinalizedAt != nil {
			return err
		}
		return pgx.BeginFunc(ctx, q.pool, func(tx pgx.Tx) error {
			if _, err := q.river.JobCancelTx(ctx, tx, row.ID); err != nil {
				return err
			}
			return tell(ctx, tx, jobEnds, row.Queue)
		})
	})
}
