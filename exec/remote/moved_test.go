package remote_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/cache"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/exec/remote/remotetest"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/ledger/scan"
	"github.com/planlock/planlock/plan"
)

// TestMovedIsWhatChanged: once a worker has the tree, a step moves what it changed, to the
// store and from there to the owner, and hardly more. Of 32 steps one lists the tree anew.
func TestMovedIsWhatChanged(t *testing.T) {
	queue := &remote.Memory{}
	m := remotetest.Moves{Steps: 66, Owner: queue, Workers: []*remote.Worker{{Jobs: queue}}}
	put, got, asked := m.ForEach(t)
	t.Logf("for each byte that a step changed, %.3f went to the store, and %.3f came from there; it was asked %.1f times for each step",
		put, got, asked)
	if put > 1.2 || got > 1.2 || asked > 10 {
		t.Error("that is too much")
	}
}

// TestContentsAreReadOnce: a worker with several lanes reads each content once, also
// where a lane has another tree than the one beside it.
func TestContentsAreReadOnce(t *testing.T) {
	const tasks, steps = 8, 4
	read := map[int64]int64{}
	for _, size := range []int64{-1, remote.DefaultCache} {
		queue := &remote.Memory{}
		m := remotetest.Moves{Tasks: tasks, Steps: steps, Owner: queue}
		for range 2 {
			m.Workers = append(m.Workers, &remote.Worker{Jobs: queue, At: 4, Cache: size})
		}
		read[size] = m.Run(t).Workers
	}
	// Each reads the first tree, and what the other one made.
	const needed = 2*remotetest.Initial + tasks*steps*remotetest.Written
	t.Logf("2 workers of 4 lanes read %d bytes without a cache, %d with one; %d is what one has to read", read[-1],
		read[remote.DefaultCache], needed)
	if got := read[remote.DefaultCache]; got > needed*12/10 || got >= read[-1] {
		t.Error("that is too much")
	}
}

// TestTwoWorkersInOneFolder: a folder that a worker has is refused to another one.
func TestTwoWorkersInOneFolder(t *testing.T) {
	dir := t.TempDir()
	ctx, end := context.WithCancel(t.Context())
	begun := make(chan struct{})
	queue := &tells{begun: begun}
	w := &remote.Worker{Jobs: queue, Blobs: &checkpoint.Memory{}, Executors: exec.Default(&shell.Executor{}), Dir: dir}
	ended := make(chan error)
	go func() { ended <- w.Run(ctx) }()
	<-begun
	if err := w.Run(ctx); !errors.Is(err, cache.ErrHeld) || !strings.Contains(err.Error(), dir) {
		t.Errorf("the second one: %v", err)
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// tells is a queue that tells when it is first asked for a job.
type tells struct {
	remote.Memory
	begun chan struct{}
}

func (q *tells) Take(ctx context.Context, fit func(remote.Job) remote.Fit) (remote.Lease, error) {
	close(q.begun)
	return q.Memory.Take(ctx, fit)
}

// TestBestFit: of the jobs that wait, a worker gets one whose tree it has, then one of a
// run that it knows, and then the first.
func TestBestFit(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	defer end()
	blobs, queue := &checkpoint.Memory{}, &remote.Memory{}
	store, done := checkpoint.NewStore(blobs), make(chan string)
	says := exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		done <- string(w.Step.Address)
		return exec.Outcome{}, nil
	})
	give := func(run, step, tree string) {
		t.Helper()
		dir := t.TempDir()
		err := os.WriteFile(filepath.Join(dir, "a"), []byte(tree), 0o644)
		err = errors.Join(err, os.Chtimes(filepath.Join(dir, "a"), time.Unix(1, 0), time.Unix(1, 0)))
		scanned, bad := (&scan.Scanner{}).Scan(ctx, dir, nil)
		base, worse := store.Snapshot(ctx, dir, scanned, record.Snapshot{})
		request, worst := store.Put(ctx, fmt.Appendf(nil, `{"task":{},"step":{"Address":%q}}`, step))
		err = errors.Join(err, bad, worse, worst, queue.Submit(ctx, remote.Job{Key: step, Run: run, Step: plan.Address(step), Base: base,
			Request: request}))
		if err != nil {
			t.Fatal(err)
		}
	}
	give("a", "first", "one")
	go (&remote.Worker{Jobs: queue, Blobs: blobs, Executors: exec.Default(says)}).Run(ctx)
	give("b", "other run", "two") // while it is at work
	give("a", "same run", "three")
	give("a", "same tree", "one")
	var order []string
	for range 4 {
		order = append(order, <-done)
	}
	if want := []string{"first", "same tree", "same run", "other run"}; !slices.Equal(order, want) {
		t.Errorf("carried out: %q, want %q", order, want)
	}
}
