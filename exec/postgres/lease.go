package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"github.com/planlock/planlock/exec/remote"
)

// errCancelled is why the work of a job ends that was called back.
var errCancelled = errors.New("remote: the job was called back")

// A lease is a job that a client of River works for, which does nothing else.
type lease struct {
	queue *Queue
	conn  *pgxpool.Conn // it holds the lock, and is watched
	row   *rivertype.JobRow
	name  string // of the client

	job     *river.Job[order]
	working context.Context // of River, for what has to do with the job
	begun   chan struct{}   // closed once River has the job
	outcome chan error      // what River is told in the end
	stopped chan struct{}   // closed once River has nothing to do with it any more
	over    atomic.Bool     // the outcome is said

	ctx  context.Context
	end  context.CancelCauseFunc
	gone chan struct{} // closed once the lock is free
}

// A worker is what River calls.
type worker struct {
	river.WorkerDefaults[order]
	*lease
}

// Timeout is none: attempts have limits of their own.
func (w *worker) Timeout(*river.Job[order]) time.Duration { return -1 }

// Work has River wait for what comes of the job.
func (w *worker) Work(ctx context.Context, job *river.Job[order]) error {
	if w.working != nil {
		return river.JobSnooze(0) // it was given back a moment ago
	}
	w.job, w.working = job, ctx
	close(w.begun)
	return <-w.outcome
}

// begin watches the job.
func (l *lease) begin(ctx context.Context) {
	l.ctx, l.end = context.WithCancelCause(ctx)
	l.queue.inside.Add(1) // who takes it is inside
	go func() {
		defer l.queue.inside.Done()
		defer close(l.gone)
		defer release(l.conn)
		l.watch()
	}()
}

// watch ends the lease when the job is called back, the connection cut, or the
// queue closed.
func (l *lease) watch() {
	ctx, stop := context.WithCancel(l.ctx)
	defer stop()
	defer context.AfterFunc(l.queue.closed, stop)()
	news, leave := l.queue.hear(l.row.Queue)
	defer leave()
	var err error
	for err == nil {
		if err = told(ctx, l.conn, news, second); err == nil {
			err = l.mine(context.WithoutCancel(ctx)) // a question that is broken off ends the connection
		}
	}
	switch {
	case l.ctx.Err() != nil: // it has ended in order
	case l.queue.closed.Err() != nil:
		l.say(river.JobSnooze(0))
		select {
		case <-l.stopped: // it waits again
		case <-time.After(patience):
		}
		l.end(errClosed)
	case errors.Is(err, errCancelled):
		l.say(river.JobCancel(err))
		l.end(err)
	default:
		err = fmt.Errorf("%w: the connection to %s was cut: %w", remote.ErrLost, l.queue.where, err)
		l.say(river.JobCancel(err))
		l.end(err)
	}
}

// mine looks whether the job is still to be carried out.
func (l *lease) mine(ctx context.Context) error {
	mine, err := ask(ctx, l.conn, jobRuns, l.row.ID)
	if err == nil && !mine {
		return errCancelled
	}
	return err
}

// patience is how long a server may take to say whether a job is still to be
// carried out. It is shorter than what the server has with the worker.
const patience = 10 * time.Second

// say tells River the outcome, once.
func (l *lease) say(outcome error) bool {
	if l.over.Swap(true) {
		return false
	}
	l.outcome <- outcome
	return true
}

// Job is what was taken.
func (l *lease) Job() remote.Job { return l.job.Args.Job }

// Context ends with the lease.
func (l *lease) Context() context.Context { return l.ctx }

// Done commits the result with the end of the job, if it is still the worker's.
func (l *lease) Done(ctx context.Context, r remote.Result) error {
	if l.over.Load() {
		return l.no()
	}
	r.Host, r.Broken = storable(r.Host), storable(r.Broken)
	err := l.queue.try(ctx, "done", func(ctx context.Context) error { return l.complete(ctx, r) })
	l.say(err)
	l.end(nil)
	<-l.gone
	return err
}

// complete is harmless where it was committed before.
func (l *lease) complete(ctx context.Context, r remote.Result) error {
	working, cancel := context.WithCancel(context.WithoutCancel(l.working))
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	if err := river.RecordOutput(working, r); err != nil {
		return err
	}
	return pgx.BeginFunc(working, l.queue.pool, func(tx pgx.Tx) error {
		row, err := river.JobCompleteTx[*riverpgxv5.Driver](working, tx, l.job)
		if errors.Is(err, rivertype.ErrNotFound) || err == nil && (row.State != rivertype.JobStateCompleted ||
			row.AttemptedBy[len(row.AttemptedBy)-1] != l.name || calledBack(row.JobRow)) {
			return l.no()
		}
		if err != nil {
			return err
		}
		return tell(working, tx, jobEnds, l.row.Queue)
	})
}

// storable is a text without what the server stores in no JSON.
func storable(text string) string { return strings.ReplaceAll(text, "\x00", "\uFFFD") }

// no says that the job is not the worker's any more.
func (l *lease) no() error { return fmt.Errorf("%w: %q", remote.ErrLost, l.Job().Key) }

// Return has the job wait again, for whoever takes it.
func (l *lease) Return(ctx context.Context) error {
	if !l.say(river.JobSnooze(0)) {
		return l.no()
	}
	select {
	case <-l.stopped: // it waits again
	case <-ctx.Done():
	}
	l.end(nil)
	<-l.gone
	return l.queue.try(ctx, "return", func(ctx context.Context) error { return tell(ctx, l.queue.pool, newJobs, "") })
}
