package postgres

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/planlock/planlock/exec/remote"
)

// TestTold: an owner is told of a result, and does not find it when it looks, which it does
// once a second; also once its connection was cut, and it has another one.
func TestTold(t *testing.T) {
	url := database(t)
	owner, worker := opened(t, url), opened(t, url)
	soon := func(round string) bool {
		for n := range 10 { // now and then the machine is busy
			key := fmt.Sprint(round, n)
			l := taken(t, owner, worker, key)
			got := make(chan error, 1)
			go func() {
				_, err := owner.Result(t.Context(), key)
				got <- err
			}()
			time.Sleep(200 * time.Millisecond) // it has looked
			begun := time.Now()
			if err := errors.Join(l.Done(t.Context(), remote.Result{}), <-got); err != nil {
				t.Fatal(err)
			}
			if time.Since(begun) < second/2 {
				return true
			}
		}
		return false
	}
	if !soon("first") {
		t.Error("nobody told it")
	}
	admin(t, url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
		AND pid <> pg_backend_pid()`)
	if !soon("cut") {
		t.Error("nobody told it after its connection was cut")
	}
}

// TestKeptConnection: one job after another goes over the same connection, on which no
// lock stays, whatever comes of them.
func TestKeptConnection(t *testing.T) {
	q := opened(t, database(t))
	over := map[uint32]bool{}
	for key, end := range map[string]func(remote.Lease) error{
		"done":     func(l remote.Lease) error { return l.Done(t.Context(), remote.Result{}) },
		"returned": func(l remote.Lease) error { return l.Return(t.Context()) },
		"called back": func(l remote.Lease) error {
			err := q.Cancel(t.Context(), "called back")
			<-l.Context().Done()
			<-l.(*lease).gone
			return err
		},
	} {
		l := taken(t, q, q, key)
		over[l.(*lease).conn.Conn().PgConn().PID()] = true
		if err := end(l); err != nil {
			t.Errorf("%s: %v", key, err)
		}
		locks := 0
		err := q.pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database =
			(SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&locks)
		if err != nil || locks != 0 {
			t.Errorf("%s: %d locks are left, %v", key, locks, err)
		}
	}
	if len(over) > 1 {
		t.Errorf("each job went over a connection of its own")
	}
}

// TestWaitingLanes: lanes that wait share the connections of their process, and each of
// them has a job at once where there is one for each.
func TestWaitingLanes(t *testing.T) {
	const lanes = 16
	url := database(t)
	q, owner := opened(t, url), opened(t, url)
	leases := make(chan remote.Lease, lanes)
	for range lanes {
		go func() {
			l, err := q.Take(t.Context(), func(remote.Job) remote.Fit { return remote.Able })
			if err != nil {
				t.Error(err)
			}
			leases <- l
		}()
	}
	time.Sleep(second / 2) // they have looked
	n := 0
	if err := owner.pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()`).
		Scan(&n); err != nil || n >= lanes {
		t.Errorf("%d connections of two processes, %v", n, err)
	}
	for i := range lanes {
		if err := owner.Submit(t.Context(), job(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	had := map[string]bool{}
	for range lanes {
		l := <-leases
		defer func() { _ = l.Done(t.Context(), remote.Result{}) }()
		had[l.Job().Key] = true
	}
	if len(had) != lanes {
		t.Errorf("%d of %d jobs are had", len(had), lanes)
	}
}
