package postgres

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/exec/remote/remotetest"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/internal/pgserver"
)

var (
	steps = flag.Int("steps", 24, "how many the plan of TestDose has")
	kills = flag.Int("kills", 8, "how many TestDose has, over as many runs as it takes")
)

// work is a worker in a process of its own. Where it is to sleep, it takes a job
// and does nothing.
func work(url string) int {
	if text := os.Getenv("PLANLOCK_TEST_SILENT"); text != "" {
		silent = text
	}
	ctx := context.Background()
	blobs, err := folder.Open(ctx, os.Getenv("PLANLOCK_TEST_BLOBS"))
	var q *Queue
	if err == nil {
		q, err = remotetest.Opened(func() (*Queue, error) { return Open(ctx, url, Config{}) })
	}
	if err == nil {
		if long, bad := time.ParseDuration(os.Getenv("PLANLOCK_TEST_SLEEP")); bad == nil {
			var l remote.Lease
			if l, err = q.Take(ctx, func(remote.Job) remote.Fit { return remote.Able }); err == nil {
				time.Sleep(long)
				err = l.Done(ctx, remote.Result{Host: "late"})
			}
		} else {
			w := &remote.Worker{Jobs: q, Blobs: blobs, Executors: exec.Default(&shell.Executor{}), At: 2}
			err = w.Run(ctx)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// spawn starts a worker, which is killed at the end of the test.
func spawn(t *testing.T, q *Queue, blobs string, env ...string) *osexec.Cmd {
	t.Helper()
	w := osexec.Command(os.Args[0])
	w.Env = append(append(os.Environ(), "PLANLOCK_TEST_WORKER="+q.config.ConnString(), "PLANLOCK_TEST_BLOBS="+blobs,
		"TMPDIR="+t.TempDir()), env...)
	w.Stderr = os.Stderr
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.Process.Kill() // it may be dead
		_ = w.Wait()
	})
	return w
}

// runs waits until a job is carried out.
func (q *Queue) runs(t *testing.T, key string) {
	t.Helper()
	for range 1000 {
		row, err := q.find(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if row != nil && row.State == "running" {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("nobody takes %s", key)
}

// TestKilled: the job of a process that is killed is lost within seconds, and
// another one may have it under another key.
func TestKilled(t *testing.T) {
	q := opened(t, database(t))
	w := spawn(t, q, t.TempDir(), "PLANLOCK_TEST_SLEEP=1m")
	if err := q.Submit(t.Context(), job("k")); err != nil {
		t.Fatal(err)
	}
	q.runs(t, "k")
	lost := make(chan error, 1)
	go func() {
		_, err := q.Result(t.Context(), "k")
		lost <- err
	}()
	time.Sleep(500 * time.Millisecond)
	begun := time.Now()
	if err := w.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	err := <-lost
	if took := time.Since(begun); !errors.Is(err, remote.ErrLost) || took > 3*time.Second {
		t.Errorf("after %v: %v", took, err)
	}
	if again := taken(t, q, q, "k2"); again.Done(t.Context(), remote.Result{}) != nil {
		t.Error("the next one is not done")
	}
}

// TestSameAsHere carries a plan out by four processes, of which some are killed at
// random while they are at work, behind one that takes the first job, does nothing,
// and is killed: tree and steps are those of one machine.
func TestSameAsHere(t *testing.T) {
	q := opened(t, database(t))
	blobs, dir := contents(t)
	first := spawn(t, q, dir, "PLANLOCK_TEST_SLEEP=1m")
	ctx, end := context.WithCancel(t.Context())
	// busy are the processes that carry out jobs; none, where that cannot be asked.
	busy := func() (by string) {
		_ = q.pool.QueryRow(ctx, `SELECT coalesce(string_agg(attempted_by[1], ' '), '') FROM `+schema+`.river_job
			WHERE state = 'running'`).Scan(&by)
		return by
	}
	at := func(w *osexec.Cmd, busy string) bool {
		return strings.Contains(busy, fmt.Sprintf("/%d/", w.Process.Pid))
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		for ctx.Err() == nil && !at(first, busy()) {
			time.Sleep(10 * time.Millisecond)
		}
		_ = first.Process.Kill()
		var workers []*osexec.Cmd
		for range 4 {
			workers = append(workers, spawn(t, q, dir))
		}
		for killed := 0; killed < 4 && ctx.Err() == nil; {
			now := busy()
			for i, w := range workers {
				if rand.N(2) == 0 && at(w, now) {
					_ = w.Process.Kill()
					workers[i] = spawn(t, q, dir)
					killed++
				}
			}
			time.Sleep(rand.N(300 * time.Millisecond))
		}
	})
	var mu sync.Mutex
	lost, by := 0, map[string]bool{}
	remotetest.SameAsHere(t, q, blobs, func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(text, "its worker is gone") {
			lost++
		} else if _, host, ok := strings.Cut(text, "carried out by "); ok {
			by[host] = true
		}
	})
	end()
	wait.Wait()
	if t.Logf("%d were lost; carried out by %d processes", lost, len(by)); lost == 0 || len(by) == 0 {
		t.Errorf("%d were lost; by %v", lost, by)
	}
}

// contents are those that owner and workers share, and their folder.
func contents(t testing.TB) (*folder.Blobs, string) {
	t.Helper()
	dir := t.TempDir()
	blobs, err := folder.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { blobs.Close() })
	return blobs, dir
}

// TestDose kills workers, and now and then the server, at random moments: the
// plan ends as on one machine.
//
//	go test -run TestDose -steps 1000 -kills 200 -v -timeout 1h .
func TestDose(t *testing.T) {
	q := opened(t, database(t))
	blobs, dir := contents(t)
	d := remotetest.Dose{Steps: *steps, Kills: *kills, Jobs: q, Blobs: blobs}
	d.Start = func(env string) *osexec.Cmd { return spawn(t, q, dir, env) }
	d.Crash = func() error {
		err := one.Stop(pgserver.Crash)
		time.Sleep(rand.N(time.Second))
		return errors.Join(err, one.Start())
	}
	d.Run(t)
}
