package postgres

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"github.com/planlock/planlock/exec/remote"
)

// Take waits for a job; see [remote.Source].
func (q *Queue) Take(ctx context.Context, fit func(remote.Job) remote.Fit) (remote.Lease, error) {
	if !q.enter() {
		return nil, errClosed
	}
	defer q.inside.Done()
	outer := ctx
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	stop := context.AfterFunc(q.closed, func() { end(errClosed) })
	defer stop()
	news, leave := q.hear(newJobs)
	defer leave()
	for ; ; pause(ctx) {
		l, err := q.wait(ctx, news, fit)
		if l != nil && outer.Err() == nil {
			return l, nil
		}
		if l != nil {
			err = context.Cause(ctx)
			back, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
			_ = l.Return(back) // else it is lost
			cancel()
		}
		if ctx.Err() != nil || !passes(err) {
			return nil, q.failed(ctx, "take", err)
		}
	}
}

// pause waits before something is tried again.
func pause(ctx context.Context) {
	select {
	case <-time.After(second):
	case <-ctx.Done():
	}
}

// wait looks for a job until there is one, or something fails. One whose tree another
// worker has is left to that one for a moment.
func (q *Queue) wait(ctx context.Context, news <-chan struct{}, fit func(remote.Job) remote.Fit) (*lease, error) {
	left := map[int64]time.Time{} // since when
	for {
		rows, err := q.waiting(ctx)
		if err != nil {
			return nil, err
		}
		rest, seen := second, map[int64]time.Time{}
		for _, f := range fitting(rows, fit) {
			if f.left > 0 && f.fit < remote.HasTree {
				since, ok := left[f.row.ID]
				if !ok {
					since = time.Now()
				}
				if seen[f.row.ID] = since; time.Since(since) < f.left {
					rest = moment
					continue
				}
			}
			if l, err := q.claim(ctx, f.row); l != nil || err != nil {
				return l, err
			}
		}
		left = seen
		select {
		case <-news:
		case <-time.After(rest):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// moment is how long a job is left to the worker that has its tree, and longer how
// long where it is another attempt, which may want the caches of the one before; long
// is how long one waits at most because others fit better.
const (
	moment = 50 * time.Millisecond
	longer = time.Second
	long   = 10 * time.Second
)

// A fittingRow is a job that a worker can carry out.
type fittingRow struct {
	row  *rivertype.JobRow
	fit  remote.Fit
	left time.Duration // to the worker that has its tree, where there may be one
}

// fitting are the jobs that a worker can carry out: those that wait for long, then
// those that fit best, and of these the first ones.
func fitting(rows []*rivertype.JobRow, fit func(remote.Job) remote.Fit) (all []fittingRow) {
	for _, row := range rows {
		var o order
		if json.Unmarshal(row.EncodedArgs, &o) != nil {
			continue
		}
		f := fit(o.Job)
		if f > remote.Unfit && time.Since(row.ScheduledAt) > long {
			f = remote.HasTree + 1
		}
		if f > remote.Unfit {
			all = append(all, fittingRow{row, f, leftFor(&o.Job)})
		}
	}
	slices.SortStableFunc(all, func(a, b fittingRow) int { return cmp.Compare(b.fit, a.fit) })
	return all
}

// leftFor is how long a job is left to the worker that has its tree.
func leftFor(j *remote.Job) time.Duration {
	switch {
	case j.Attempt > 1:
		return longer
	case j.Made != "":
		return moment
	}
	return 0
}

// A look is one at the jobs that nobody has, for all who ask before it begins.
type look struct {
	done chan struct{} // closed once it is over
	rows []*rivertype.JobRow
	err  error
}

// waiting are jobs that nobody has. Lanes that ask meanwhile share the next look.
func (q *Queue) waiting(ctx context.Context) ([]*rivertype.JobRow, error) {
	q.mu.Lock()
	l := q.next
	if l == nil {
		l = &look{done: make(chan struct{})}
		q.next = l
		go q.see(l)
	}
	q.mu.Unlock()
	select {
	case <-l.done:
		return l.rows, l.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// see looks, once the look before is over.
func (q *Queue) see(l *look) {
	q.looking.Lock()
	defer q.looking.Unlock()
	defer close(l.done)
	q.mu.Lock()
	q.next = nil
	q.mu.Unlock()
	ctx, cancel := context.WithTimeout(q.closed, patience)
	defer cancel()
	params := river.NewJobListParams().States(rivertype.JobStateAvailable).First(10_000).
		Where("kind = @kind AND args->>'workspace' = @workspace AND scheduled_at <= now()",
			river.NamedArgs{"kind": order{}.Kind(), "workspace": q.workspace})
	found, err := q.river.JobList(ctx, params)
	if err == nil {
		l.rows = found.Jobs
	}
	l.err = err
}

// What is asked about a job by its id, $1.
const (
	jobLock  = `SELECT pg_try_advisory_lock(` + lockOf + `) FROM (SELECT $1::bigint AS id) AS job`
	jobWaits = `SELECT count(*) > 0 FROM ` + schema + `.river_job WHERE id = $1 AND state = 'available'`
	jobRuns  = `SELECT count(*) > 0 FROM ` + schema + `.river_job
		WHERE id = $1 AND state = 'running' AND NOT metadata ? 'cancel_attempted_at'`
)

// ask asks the server something about a job, and does not wait for long.
func ask(ctx context.Context, conn *pgxpool.Conn, question string, id int64) (yes bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err = conn.QueryRow(ctx, question, id).Scan(&yes)
	return yes, err
}

// claim takes the lock of a job, and then the job. There is no lease where
// somebody else was first, or another lane tries it.
func (q *Queue) claim(ctx context.Context, row *rivertype.JobRow) (l *lease, err error) {
	if !q.tries(row.ID) {
		return nil, nil
	}
	defer q.tried(row.ID)
	conn, err := q.lanes.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	mine, err := ask(ctx, conn, jobLock, row.ID)
	if err == nil && !mine {
		conn.Release()
		return nil, nil
	}
	waits := false
	if err == nil {
		waits, err = ask(ctx, conn, jobWaits, row.ID)
	}
	if err == nil && waits {
		l, err = q.fetch(ctx, conn, row)
	}
	if l == nil {
		release(conn)
	}
	return l, err
}

// tries reports whether no other lane tries to have a job, and has none do so until
// tried.
func (q *Queue) tries(id int64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.trying[id] {
		return false
	}
	q.trying[id] = true
	return true
}

func (q *Queue) tried(id int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.trying, id)
}

// fetch has River work for a job, and for no other one. There is no lease where it
// is called back at the last moment.
func (q *Queue) fetch(ctx context.Context, conn *pgxpool.Conn, row *rivertype.JobRow) (*lease, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "somewhere"
	}
	l := &lease{queue: q, conn: conn, row: row, name: fmt.Sprintf("%.60s/%d/%.12s", host, os.Getpid(), rand.Text()),
		begun: make(chan struct{}), outcome: make(chan error, 1), stopped: make(chan struct{}), gone: make(chan struct{})}
	settings := q.settings()
	settings.ID = l.name
	settings.Queues = map[string]river.QueueConfig{row.Queue: {MaxWorkers: 1}}
	settings.Workers = river.NewWorkers()
	river.AddWorker(settings.Workers, &worker{lease: l})
	client, err := river.NewClient(riverpgxv5.New(q.pool), settings)
	if err != nil {
		return nil, err
	}
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		return nil, err
	}
	select {
	case <-l.begun:
	case <-ctx.Done():
	case <-time.After(patience):
	}
	go func() {
		_ = client.Stop(context.Background()) // it takes no other job, and waits for this one
		close(l.stopped)
	}()
	select {
	case <-l.begun:
		l.begin(context.WithoutCancel(ctx))
		return l, nil
	case <-l.stopped: // which it is not before a job that it began
	}
	return nil, nil
}
