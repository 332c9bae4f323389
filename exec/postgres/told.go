package postgres

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// What is told: that there are new jobs, to workers that wait; and that a job was
// called back or has its result, by its queue, to who carries it out and who waits for it.
const (
	newJobs = "planlock_jobs"
	jobEnds = "planlock_ends"
)

// second is how long is waited for what somebody may tell, before looking.
const second = time.Second

// silent is how long a worker may say nothing before the server takes its locks.
var silent = "30s"

// watched has a pool have as many connections as are needed, on each of which somebody
// asks something all the time. Where nobody does for a while, the server ends it, though it is
// not cut.
func watched(c *pgxpool.Config) *pgxpool.Config {
	c.MinConns, c.MinIdleConns, c.MaxConns, c.MaxConnIdleTime = 0, 0, math.MaxInt32, patience
	c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `SELECT set_config(name, $1, false) FROM pg_catalog.pg_settings
			WHERE name IN ('idle_session_timeout', 'idle_in_transaction_session_timeout')`, silent)
		return err
	}
	return c
}

// tell tells something to whoever listens.
func tell(ctx context.Context, to interface {
	Exec(context.Context, string, ...any) (pgconn.CommandTag, error)
}, channel, of string) error {
	_, err := to.Exec(ctx, `SELECT pg_notify($1, $2)`, channel, of)
	return err
}

// told waits until there is news, or for a while. A connection that is cut ends it.
func told(ctx context.Context, conn *pgxpool.Conn, news <-chan struct{}, while time.Duration) error {
	wait, end := context.WithTimeout(ctx, while)
	defer end()
	go func() {
		select {
		case <-news:
			end()
		case <-wait.Done():
		}
	}()
	_, err := next(ctx, wait, conn)
	return err
}

// next is what is told next on a connection, nil when wait ends before.
func next(ctx, wait context.Context, conn *pgxpool.Conn) (*pgconn.Notification, error) {
	n, err := conn.Conn().WaitForNotification(wait)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case wait.Err() != nil && !conn.Conn().IsClosed():
		return nil, nil
	}
	return n, err
}

// hear has somebody be told, until leave is called, when the job of a queue of River may
// have ended, or there are newJobs.
func (q *Queue) hear(queue string) (told <-chan struct{}, leave func()) {
	q.listen.Do(func() {
		if q.enter() {
			go q.relay()
		}
	})
	c := make(chan struct{}, 1)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waits[c] = queue
	return c, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.waits, c)
	}
}

// relay tells who waits for results and for jobs, on one connection for all, until the
// queue is closed. Where it is cut they look once a second, and at once when there is a new one.
func (q *Queue) relay() {
	defer q.inside.Done()
	for ; q.closed.Err() == nil; pause(q.closed) {
		conn, err := q.lanes.Acquire(q.closed)
		if err != nil {
			continue
		}
		_, err = conn.Exec(q.closed, "LISTEN "+newJobs+"; LISTEN "+jobEnds)
		q.wake(func(string) bool { return true })
		for err == nil {
			err = q.pass(conn)
		}
		release(conn)
	}
}

// pass passes on what is told next. Who is silent for long loses its connection.
func (q *Queue) pass(conn *pgxpool.Conn) error {
	wait, end := context.WithTimeout(q.closed, patience)
	defer end()
	n, err := next(q.closed, wait, conn)
	switch {
	case err != nil:
		return err
	case n == nil:
		return conn.Ping(q.closed)
	}
	of := cmp.Or(n.Payload, n.Channel) // new jobs are those of no queue
	q.wake(func(queue string) bool { return queue == of })
	return nil
}

// wake tells those who wait for certain jobs.
func (q *Queue) wake(which func(queue string) bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for c, queue := range q.waits {
		if which(queue) {
			select {
			case c <- struct{}{}:
			default: // it is told already
			}
		}
	}
}
