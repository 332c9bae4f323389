//go:build unix

package postgres

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/planlock/planlock/exec/remote"
)

// TestSlow: a server that does not answer is waited for, within the context.
func TestSlow(t *testing.T) {
	q := opened(t, database(t))
	if err := q.Submit(t.Context(), job("k")); err != nil { // which nobody takes
		t.Fatal(err)
	}
	rows, err := q.pool.Query(t.Context(), `SELECT pid FROM pg_stat_activity WHERE datname = current_database()`)
	if err != nil {
		t.Fatal(err)
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	if err != nil {
		t.Fatal(err)
	}
	all := func(how syscall.Signal) {
		for _, pid := range append(pids, int32(one.PID())) {
			if err := syscall.Kill(int(pid), how); err != nil {
				t.Fatal(err)
			}
		}
	}
	all(syscall.SIGSTOP)
	ctx, end := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer end()
	_, err = q.Result(ctx, "k")
	submitted := make(chan error, 1)
	go func() { submitted <- q.Submit(t.Context(), job("l")) }()
	time.Sleep(200 * time.Millisecond)
	all(syscall.SIGCONT)
	says(t, err, "result", q.where)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v is not context.DeadlineExceeded", err)
	}
	if err := <-submitted; err != nil {
		t.Errorf("submitted meanwhile: %v", err)
	}
}

// TestSilent: a worker that hangs, with its connections open, loses its job, and
// what it gives back once it goes on is not applied.
func TestSilent(t *testing.T) {
	q := opened(t, database(t))
	w := spawn(t, q, t.TempDir(), "PLANLOCK_TEST_SILENT=3s", "PLANLOCK_TEST_SLEEP=1m")
	if err := q.Submit(t.Context(), job("k")); err != nil {
		t.Fatal(err)
	}
	q.runs(t, "k")
	if err := w.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithTimeout(t.Context(), 20*time.Second)
	defer end()
	_, err := q.Result(ctx, "k")
	if !errors.Is(err, remote.ErrLost) {
		t.Error(err)
	}
	if err := w.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	if _, err := q.Result(ctx, "k"); !errors.Is(err, remote.ErrLost) {
		t.Errorf("once it goes on: %v", err)
	}
}
