package postgres

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/internal/pgserver"
)

var (
	manyProcesses = flag.Int("many-processes", 4, "of TestMany: how many processes there are, as far as the server can tell")
	manyLanes     = flag.Int("many-lanes", 4, "of TestMany: how many lanes each of them has")
	manyJobs      = flag.Int("many-jobs", 64, "of TestMany: how many jobs are given away at once")
)

// TestMany has many workers wait for jobs that are nothing, gives these away one after
// another, 64 at a time and all at once, and says what that costs the server. Each job is
// carried out once.
func TestMany(t *testing.T) {
	lanes := (*manyProcesses) * (*manyLanes)
	server, err := pgserver.New("fsync=off", fmt.Sprintf("max_connections=%d", lanes+3*(*manyProcesses)+50))
	if err != nil {
		t.Skip("no PostgreSQL:", err)
	}
	t.Cleanup(func() { _ = server.Remove() })
	m := &many{T: t, url: server.URL("postgres"), done: map[string]int{}}
	if m.pool, err = pgxpool.New(t.Context(), m.url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.pool.Close)
	owner := opened(t, m.url)
	ctx, end := context.WithCancel(t.Context())
	var workers sync.WaitGroup
	begun := time.Now()
	for range *manyProcesses {
		q, err := Open(t.Context(), m.url, Config{})
		if err != nil {
			t.Fatalf("after %d lanes: %v", m.lanes.Load(), err)
		}
		defer q.Close()
		for range *manyLanes {
			workers.Go(func() { m.work(ctx, q) })
		}
		m.lanes.Add(int64(*manyLanes))
	}
	t.Logf("%d lanes of %d processes begun in %v", lanes, *manyProcesses, time.Since(begun).Round(time.Millisecond))
	time.Sleep(time.Second) // until they wait
	m.costs("nothing to do for 2s", func() int { time.Sleep(2 * time.Second); return 0 })
	m.costs("one job after another", func() int {
		const n = 10
		for i := range n {
			m.give(owner, fmt.Sprint("single-", i))
		}
		return n
	})
	m.costs("64 at a time, as a run of 64 lanes", func() int {
		var all sync.WaitGroup
		slots := make(chan struct{}, 64)
		for i := range *manyJobs {
			slots <- struct{}{}
			all.Go(func() {
				m.give(owner, fmt.Sprint("many-", i))
				<-slots
			})
		}
		all.Wait()
		return *manyJobs
	})
	m.costs("all at once", func() int { return m.backlog(owner) })
	end()
	workers.Wait()
	for key, n := range m.done {
		if n != 1 {
			t.Errorf("job %s was carried out %d times", key, n)
		}
	}
}

// many is what many workers do.
type many struct {
	*testing.T
	url   string
	pool  *pgxpool.Pool
	lanes atomic.Int64
	mu    sync.Mutex
	done  map[string]int
}

// work carries out jobs, which are nothing.
func (m *many) work(ctx context.Context, q *Queue) {
	for {
		l, err := q.Take(ctx, func(remote.Job) remote.Fit { return remote.Able })
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			m.mu.Lock()
			m.done[l.Job().Key]++
			m.mu.Unlock()
			err = l.Done(ctx, remote.Result{Key: l.Job().Key})
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, remote.ErrLost) {
			m.Error(err)
			return
		}
	}
}

// give gives a job away and waits for what comes of it.
func (m *many) give(owner *Queue, key string) {
	if err := owner.Submit(m.Context(), job(key)); err != nil {
		m.Error(err)
	} else if _, err := owner.Result(m.Context(), key); err != nil {
		m.Error(err)
	}
}

// backlog gives all jobs away, and then waits for what comes of them.
func (m *many) backlog(owner *Queue) int {
	for i := range *manyJobs {
		if err := owner.Submit(m.Context(), job(fmt.Sprint("backlog-", i))); err != nil {
			m.Error(err)
		}
	}
	for i := range *manyJobs {
		if _, err := owner.Result(m.Context(), fmt.Sprint("backlog-", i)); err != nil {
			m.Error(err)
		}
	}
	return *manyJobs
}

// costs says how long something takes, for each of the jobs that it gives away, and how
// much the server does meanwhile.
func (m *many) costs(what string, do func() int) {
	m.Helper()
	asked := func() (commits, rows int64, connections int) {
		const question = `SELECT sum(xact_commit + xact_rollback), sum(tup_returned), (SELECT count(*) FROM pg_stat_activity
			WHERE backend_type = 'client backend') FROM pg_stat_database`
		time.Sleep(1100 * time.Millisecond) // it counts once a second
		if err := m.pool.QueryRow(m.Context(), question).Scan(&commits, &rows, &connections); err != nil {
			m.Fatal(err)
		}
		return commits, rows, connections
	}
	commits, rows, _ := asked()
	begun := time.Now()
	n := do()
	took := time.Since(begun)
	after, read, connections := asked()
	per := max(n, 1)
	m.Logf("%s: %d jobs in %v, %v each; %d transactions a job, %d rows read a job, %.0f transactions a second, %d connections",
		what, n, took.Round(time.Millisecond), (took / time.Duration(per)).Round(10*time.Microsecond),
		(after-commits)/int64(per),
		(read-rows)/int64(per), float64(after-commits)/(took.Seconds()+1.1), connections)
}
