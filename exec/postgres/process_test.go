package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/exec/remote/remotetest"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/ledger"
)

// shared are contents that many processes keep in a folder, a file each.
type shared struct{ dir string }

func (s shared) file(d ledger.Digest) string {
	return filepath.Join(s.dir, strings.ReplaceAll(string(d), ":", "-"))
}

func (s shared) Put(_ context.Context, d ledger.Digest, content io.Reader) error {
	f, err := os.CreateTemp(s.dir, "temp-")
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), s.file(d))
}

func (s shared) Get(_ context.Context, d ledger.Digest) (io.ReadCloser, error) {
	f, err := os.Open(s.file(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", checkpoint.ErrNotFound, d)
	}
	return f, err
}

func (s shared) Has(_ context.Context, d ledger.Digest) (bool, error) {
	_, err := os.Stat(s.file(d))
	return err == nil, nil
}

func (s shared) Sync(context.Context) error { return nil }

// work is a worker in a process of its own. Where it is to sleep, it takes a job
// and does nothing.
func work(url string) int {
	if text := os.Getenv("PLANLOCK_TEST_SILENT"); text != "" {
		silent = text
	}
	ctx := context.Background()
	q, err := Open(ctx, url, Config{})
	if err == nil {
		if long, bad := time.ParseDuration(os.Getenv("PLANLOCK_TEST_SLEEP")); bad == nil {
			var l remote.Lease
			if l, err = q.Take(ctx, func(remote.Job) bool { return true }); err == nil {
				time.Sleep(long)
				err = l.Done(ctx, remote.Result{Host: "late"})
			}
		} else {
			w := &remote.Worker{Jobs: q, Blobs: shared{os.Getenv("PLANLOCK_TEST_BLOBS")}, Executors: exec.Default(&shell.Executor{})}
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
	here := remotetest.Bench(t, &checkpoint.Memory{}, &shell.Executor{})
	want := here.Run(t)
	want.Want(t, history.Achieved)

	blobs := t.TempDir()
	first := spawn(t, q, blobs, "PLANLOCK_TEST_SLEEP=1m")
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
			workers = append(workers, spawn(t, q, blobs))
		}
		for killed := 0; killed < 4 && ctx.Err() == nil; {
			now := busy()
			for i, w := range workers {
				if rand.N(2) == 0 && at(w, now) {
					_ = w.Process.Kill()
					workers[i] = spawn(t, q, blobs)
					killed++
				}
			}
			time.Sleep(rand.N(300 * time.Millisecond))
		}
	})
	var mu sync.Mutex
	lost, by := 0, map[string]bool{}
	there := remotetest.Bench(t, shared{blobs}, &remote.Executor{Jobs: q, Blobs: shared{blobs}, As: &shell.Executor{}, Tell: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(text, "its worker is gone") {
			lost++
		} else if _, host, ok := strings.Cut(text, "carried out by "); ok {
			by[host] = true
		}
	}})
	got := there.Run(t)
	end()
	wait.Wait()
	got.Want(t, history.Achieved)
	remotetest.Same(t, want.Report.Run, got.Report.Run)
	if a, b := here.Tree(t).Digest(), there.Tree(t).Digest(); a != b {
		t.Errorf("the tree is %s there, %s here", b.Short(), a.Short())
	}
	if t.Logf("%d were lost; carried out by %d processes", lost, len(by)); lost == 0 || len(by) == 0 {
		t.Errorf("%d were lost; by %v", lost, by)
	}
}
