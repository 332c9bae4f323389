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

// listening has the connections of a pool be told things, as many as are needed. Where
// a client says nothing for a while, the server ends its connection, though it is not cut.
func listening(c *pgxpool.Config) *pgxpool.Config {
	c.MinConns, c.MinIdleConns, c.MaxConns, c.MaxConnIdleTime = 0, 0, math.MaxInt32, patience
	c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `SELECT set_config(name, $1, false) FROM pg_catalog.pg_settings
			WHERE name IN ('idle_session_timeout', 'idle_in_transaction_session_timeout')`, silent)
		if err == nil {
			_, err = conn.Exec(ctx, "LISTEN "+jobEnds)
		}
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

// told waits until somebody tells that the job of a queue of River may have ended, or for a while.
func told(ctx context.Context, conn *pgxpool.Conn, queue string, while time.Duration) error {
	return each(ctx, conn, while, func(n *pgconn.Notification) bool { return n.Payload == queue })
}

// each has all that is told, until that is enough, or for a while.
func each(ctx context.Context, conn *pgxpool.Conn, while time.Duration, enough func(*pgconn.Notification) bool) error {
	wait, cancel := context.WithTimeout(ctx, while)
	defer cancel()
	for {
		n, err := conn.Conn().WaitForNotification(wait)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case wait.Err() != nil && !conn.Conn().IsClosed():
			return nil
		case err != nil || enough(n):
			return err
		}
	}
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
		_, err = conn.Exec(q.closed, "LISTEN "+newJobs)
		q.wake(func(string) bool { return true })
		for err == nil {
			err = each(q.closed, conn, patience, func(n *pgconn.Notification) bool {
				of := cmp.Or(n.Payload, n.Channel) // new jobs are those of no queue
				q.wake(func(queue string) bool { return queue == of })
				return false
			})
			if err == nil {
				err = conn.Ping(q.closed) // who is silent loses its connection
			}
		}
		release(conn)
	}
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
