package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/exec/remote/remotetest"

	"github.com/planlock/planlock/internal/pgserver"
)

// lose cuts the connection that has the lock of a job.
func lose(t testing.TB, q *Queue, key string) {
	t.Helper()
	row, err := q.find(t.Context(), key)
	if err != nil || row == nil {
		t.Fatal(row, err)
	}
	admin(t, q.config.ConnString(), `SELECT pg_terminate_backend(pid) FROM pg_locks
		WHERE locktype = 'advisory' AND classid = $1 AND objid = $2 AND objsubid = 2 AND database =
			(SELECT oid FROM pg_database WHERE datname = current_database())`, uint32(class), uint32(row.ID))
}

func TestQueue(t *testing.T) {
	remotetest.Run(t, func(t testing.TB) remotetest.Queue {
		url := database(t)
		owner, worker, another := opened(t, url), opened(t, url), opened(t, url)
		return remotetest.Queue{Owner: owner, Worker: worker, Another: another, Lose: func(key string) { lose(t, owner, key) }}
	})
}

// job is one of nobody.
func job(key string) remote.Job {
	return remote.Job{Key: key, Step: "1.1", Attempt: 1, Executor: "shell"}
}

// only is for the job with a key.
func only(key string) func(remote.Job) remote.Fit {
	return func(j remote.Job) remote.Fit {
		if j.Key == key {
			return remote.Able
		}
		return remote.Unfit
	}
}

// taken is the lease of a job that is given away.
func taken(t testing.TB, owner, worker *Queue, key string) remote.Lease {
	t.Helper()
	if err := owner.Submit(t.Context(), job(key)); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithTimeout(t.Context(), 10*time.Second)
	defer end()
	l, err := worker.Take(ctx, only(key))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestOpenTogether: many open a new database at a time.
func TestOpenTogether(t *testing.T) {
	url := database(t)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			q, err := Open(t.Context(), url, Config{})
			if err != nil {
				t.Error(err)
				return
			}
			q.Close()
		})
	}
	wait.Wait()
}

// TestWorkspaces: workers get jobs of their workspace alone, though keys are the
// same. One of them has a single connection.
func TestWorkspaces(t *testing.T) {
	url := database(t)
	a := opened(t, url)
	b, err := Open(t.Context(), url+"&pool_max_conns=1", Config{Workspace: "b"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	l := taken(t, a, a, "k")
	other := taken(t, b, b, "k")
	if err := errors.Join(l.Done(t.Context(), remote.Result{Host: "a"}), other.Done(t.Context(), remote.Result{Host: "b"})); err != nil {
		t.Fatal(err)
	}
	for name, q := range map[string]*Queue{"a": a, "b": b} {
		if r, err := q.Result(t.Context(), "k"); err != nil || r.Host != name {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

// TestCut: a worker whose connection is cut is told so, and its job is lost
// within two seconds, though the worker lives and could give its result back.
func TestCut(t *testing.T) {
	url := database(t)
	owner, worker := opened(t, url), opened(t, url)
	l := taken(t, owner, worker, "k")
	begun := time.Now()
	lose(t, owner, "k")
	_, err := owner.Result(t.Context(), "k")
	if took := time.Since(begun); !errors.Is(err, remote.ErrLost) || took > 2*time.Second {
		t.Errorf("after %v: %v", took, err)
	}
	select {
	case <-l.Context().Done():
		says(t, context.Cause(l.Context()), "the connection to database", "was cut")
	case <-time.After(2 * time.Second):
		t.Error("the lease goes on")
	}
	if err := l.Done(t.Context(), remote.Result{}); !errors.Is(err, remote.ErrLost) {
		t.Errorf("done: %v", err)
	}
	if err := l.Return(t.Context()); !errors.Is(err, remote.ErrLost) {
		t.Errorf("return: %v", err)
	}
}

// TestLateDone: what is given back after the owner has called a job lost, or
// back, is refused, also where the worker does not know that yet.
func TestLateDone(t *testing.T) {
	url := database(t)
	owner, worker := opened(t, url), opened(t, url)
	for what, do := range map[string]func(id int64){
		"lost": func(id int64) { // nobody is told
			admin(t, url, `UPDATE `+schema+`.river_job SET state = 'cancelled', finalized_at = now() WHERE id = $1`, id)
		},
		"called back": func(id int64) {
			if _, err := owner.river.JobCancel(t.Context(), id); err != nil { // nor here
				t.Fatal(err)
			}
		},
	} {
		l := taken(t, owner, worker, what).(*lease)
		if lost, err := owner.lost(t.Context(), l.row.ID); lost || err != nil {
			t.Fatalf("a job that is carried out is lost: %v, %v", lost, err)
		}
		do(l.row.ID)
		if err := l.Done(t.Context(), remote.Result{Key: what}); !errors.Is(err, remote.ErrLost) {
			t.Errorf("%s: done: %v", what, err)
		}
		if r, err := owner.Result(t.Context(), what); !errors.Is(err, remote.ErrLost) {
			t.Errorf("%s: result: %v, %v", what, r, err)
		}
	}
}

// TestDoneTwice: a result that was committed, and whose answer was lost, is
// committed again without harm.
func TestDoneTwice(t *testing.T) {
	q := opened(t, database(t))
	l := taken(t, q, q, "k").(*lease)
	for range 2 {
		if err := l.complete(t.Context(), remote.Result{Host: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	_ = l.Done(t.Context(), remote.Result{Host: "x"}) // it may be told that the job runs no more
	if r, err := q.Result(t.Context(), "k"); err != nil || r.Host != "x" {
		t.Error(r, err)
	}
}

// TestUnreadable: what no JSON of the server may hold keeps no result from its
// owner.
func TestUnreadable(t *testing.T) {
	q := opened(t, database(t))
	if err := taken(t, q, q, "k").Done(t.Context(), remote.Result{Host: "x", Broken: "it printed \x00\xff"}); err != nil {
		t.Fatal(err)
	}
	if r, err := q.Result(t.Context(), "k"); err != nil || r.Broken != "it printed \uFFFD\uFFFD" {
		t.Errorf("%q, %v", r.Broken, err)
	}
}

// TestClose: a queue that is closed ends its leases, and others get their jobs.
func TestClose(t *testing.T) {
	url := database(t)
	owner := opened(t, url)
	worker, err := Open(t.Context(), url, Config{})
	if err != nil {
		t.Fatal(err)
	}
	l := taken(t, owner, worker, "k")
	waits := make(chan error)
	go func() {
		_, err := worker.Take(t.Context(), func(remote.Job) remote.Fit { return remote.Unfit })
		waits <- err
	}()
	time.Sleep(100 * time.Millisecond)
	worker.Close()
	if err := context.Cause(l.Context()); !errors.Is(err, errClosed) {
		t.Errorf("the lease: %v", err)
	}
	if err := <-waits; !errors.Is(err, errClosed) {
		t.Errorf("take: %v", err)
	}
	says(t, worker.Submit(t.Context(), job("l")), "submit", "the queue is closed")
	ctx, end := context.WithTimeout(t.Context(), 5*time.Second)
	defer end()
	again, err := owner.Take(ctx, func(remote.Job) remote.Fit { return remote.Able })
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Done(ctx, remote.Result{Host: "y"}); err != nil {
		t.Fatal(err)
	}
	if r, err := owner.Result(ctx, "k"); err != nil || r.Host != "y" {
		t.Error(r, err)
	}
}

// TestServerRestarts: a server that crashes has the jobs lost that are carried
// out; those that wait, and results, are there when it is back, and who waits for
// them goes on.
func TestServerRestarts(t *testing.T) {
	url := database(t)
	owner, worker := opened(t, url), opened(t, url)
	done := taken(t, owner, worker, "done")
	if err := done.Done(t.Context(), remote.Result{Host: "before"}); err != nil {
		t.Fatal(err)
	}
	l := taken(t, owner, worker, "runs")
	if err := owner.Submit(t.Context(), job("waits")); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithTimeout(t.Context(), 30*time.Second)
	defer end()
	lost, took := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := owner.Result(ctx, "runs")
		lost <- err
	}()
	go func() {
		time.Sleep(time.Second)
		l, err := worker.Take(ctx, only("waits"))
		if err == nil {
			err = l.Done(ctx, remote.Result{Host: "after"})
		}
		took <- err
	}()
	if err := one.Stop(pgserver.Crash); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1500 * time.Millisecond)
	if err := one.Start(); err != nil {
		t.Fatal(err)
	}
	if err := <-lost; !errors.Is(err, remote.ErrLost) {
		t.Errorf("what was carried out: %v", err)
	}
	if err := l.Done(ctx, remote.Result{Host: "late"}); !errors.Is(err, remote.ErrLost) {
		t.Errorf("late: %v", err)
	}
	if err := <-took; err != nil {
		t.Errorf("what waited: %v", err)
	}
	for key, host := range map[string]string{"done": "before", "waits": "after"} {
		if r, err := owner.Result(ctx, key); err != nil || r.Host != host {
			t.Errorf("%s: %v, %v", key, r, err)
		}
	}
}

// TestRefused: what a server refuses says where, and what would help, and is not
// tried for long.
func TestRefused(t *testing.T) {
	url := database(t)
	q := opened(t, url)
	name := q.config.Database
	admin(t, url, fmt.Sprintf(`ALTER DATABASE %s SET default_transaction_read_only = on`, name))
	reads := opened2(t, url)
	says(t, reads, "open", "database", name, "target_session_attrs=read-write")
	admin(t, one.URL("postgres"), fmt.Sprintf(`ALTER DATABASE %s RESET default_transaction_read_only`, name))
	says(t, opened2(t, strings.Replace(url, "/"+name, "/nowhere", 1)), `database "nowhere"`, "CREATE DATABASE")
	says(t, opened2(t, "postgres://x:"+secret+"@127.0.0.1:1/d"), `database "d" on "127.0.0.1:1"`, "does the server run")
	says(t, opened2(t, "postgres://x:"+secret+"@h:port/d"), "cannot be read")

	role := "r" + name
	admin(t, url, fmt.Sprintf(`CREATE ROLE %s LOGIN`, role))
	says(t, opened2(t, strings.Replace(url, "postgres:"+secret, role+":"+secret, 1)), "grant the role")
	if _, err := q.pool.Exec(t.Context(), `DROP SCHEMA `+schema+` CASCADE`); err != nil {
		t.Fatal(err)
	}
	says(t, q.Submit(t.Context(), job("k")), "submit", "changed or removed the tables")
}

// opened2 is why a queue cannot be opened.
func opened2(t *testing.T, url string) error {
	t.Helper()
	q, err := Open(t.Context(), url, Config{})
	if err == nil {
		q.Close()
	}
	return err
}

// TestTidy: what ended long ago is removed when a queue is opened, and nothing
// else.
func TestTidy(t *testing.T) {
	url := database(t)
	q := opened(t, url)
	for _, key := range []string{"old", "new"} {
		if err := taken(t, q, q, key).Done(t.Context(), remote.Result{}); err != nil {
			t.Fatal(err)
		}
	}
	long := taken(t, q, q, "long")
	defer long.Return(context.Background())
	admin(t, url, `UPDATE `+schema+`.river_job SET finalized_at = now() - interval '8 days' WHERE args->'job'->>'key' = 'old'`)
	admin(t, url, `UPDATE `+schema+`.river_job SET attempted_at = now() - interval '8 days' WHERE args->'job'->>'key' = 'long'`)
	admin(t, url, `INSERT INTO `+schema+`.river_job (state, attempt, max_attempts, attempted_at, kind, queue, args)
		VALUES ('running', 1, 1, now() - interval '8 days', 'planlock_attempt', 'x', '{"job": {"key": "left"}}')`)
	opened(t, url)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	left := ""
	err = conn.QueryRow(t.Context(), `SELECT string_agg(args->'job'->>'key', ' ' ORDER BY id) FROM `+schema+`.river_job`).Scan(&left)
	if err != nil || left != "new long" {
		t.Errorf("left: %q, %v", left, err)
	}
}

// TestBestFit: a worker gets the job that fits best, but for one that has waited for
// long; and leaves one whose tree another has to that for a moment.
func TestBestFit(t *testing.T) {
	q := opened(t, database(t))
	fit := func(j remote.Job) remote.Fit {
		return map[string]remote.Fit{"able": remote.Able, "long": remote.Able, "run": remote.KnowsRun, "tree": remote.HasTree}[j.Key]
	}
	for _, key := range []string{"other", "able", "long", "run", "tree"} {
		if err := q.Submit(t.Context(), job(key)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := q.pool.Exec(t.Context(), `UPDATE `+schema+`.river_job SET scheduled_at = now() - interval '20 s'
		WHERE args->'job'->>'key' = 'long'`)
	if err != nil {
		t.Fatal(err)
	}
	take := func(want string) {
		t.Helper()
		l, err := q.Take(t.Context(), fit)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Job().Key; got != want {
			t.Errorf("taken: %q, want %q", got, want)
		}
		if err := l.Done(t.Context(), remote.Result{}); err != nil {
			t.Error(err)
		}
	}
	for _, want := range []string{"long", "tree", "run", "able"} {
		take(want)
	}
	for _, c := range []struct {
		made    string
		attempt int
		left    time.Duration
	}{{"somebody", 1, moment}, {"", 2, longer}} {
		left := job("run")
		left.Made, left.Attempt = c.made, c.attempt
		q = opened(t, database(t))
		begun := time.Now()
		if err := q.Submit(t.Context(), left); err != nil {
			t.Fatal(err)
		}
		take("run")
		if took := time.Since(begun); took < c.left {
			t.Errorf("%+v: it was taken after %v from the one who has its tree", c, took)
		}
	}
}
