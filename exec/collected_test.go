package exec_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/ledger"
)

// collector is a checkpoint.Collector of one workspace.
type collector struct {
	checkpoint.Memory
	runs *checkpoint.MemoryRuns

	mu   sync.Mutex
	used map[ledger.Digest]time.Time // what is there
}

func (c *collector) Put(ctx context.Context, d ledger.Digest, in io.Reader) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used[d] = time.Now()
	return c.Memory.Put(ctx, d, in)
}

func (c *collector) Has(_ context.Context, d ledger.Digest) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, there := c.used[d]
	if there {
		c.used[d] = time.Now()
	}
	return there, nil
}

func (c *collector) Get(ctx context.Context, d ledger.Digest) (io.ReadCloser, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, there := c.used[d]; !there {
		return nil, checkpoint.ErrNotFound
	}
	return c.Memory.Get(ctx, d)
}

func (c *collector) Journals(context.Context) (map[string]checkpoint.Runs, error) {
	return map[string]checkpoint.Runs{"": c.runs}, nil
}

func (c *collector) Collect(ctx context.Context, needed iter.Seq2[ledger.Digest, error], grace time.Duration,
	_ bool) (freed checkpoint.Collected, err error) {
	before := time.Now().Add(-grace)
	keep, err := checkpoint.NeededFor(ctx, needed, grace)
	if err != nil {
		return freed, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for d, at := range c.used {
		if key, err := d.Sum(); err == nil && !keep[key] && at.Before(before) {
			delete(c.used, d)
			freed.Contents++
		}
	}
	return freed, nil
}

// collectedRun is a run whose steps are judged for some time, in the middle of
// which contents are collected.
func collectedRun(t *testing.T, judged time.Duration) (*exectest.Bench, *collector) {
	store := &collector{runs: &checkpoint.MemoryRuns{}, used: map[ledger.Digest]time.Time{}}
	b := exectest.New(t, twoSteps(), workspace, goodScript)
	b.Controller.Blobs, b.Controller.Runs = store, store.runs
	slow := gate.Info{Name: "slow", Doc: "takes its time", Phases: []gate.Phase{gate.After}}
	b.Controller.Gates = append(builtin.Gates(), gate.New(slow, func(ctx context.Context, _ *gate.Pass) error {
		time.Sleep(judged)
		_, err := exec.Workspace{Dir: b.Controller.Dir, Blobs: store, Runs: store.runs}.CollectShared(ctx, checkpoint.LeastGrace, false)
		return err
	}))
	return b, store
}

const month = 30 * 24 * time.Hour

// TestCollectedMeanwhile: what a run is about to refer to stays for as long as a
// collection is told, and where judging takes longer than that, the run says so
// and its journal refers to nothing that is gone.
func TestCollectedMeanwhile(t *testing.T) {
	for judged, lost := range map[time.Duration]bool{time.Hour: false, checkpoint.LeastGrace - time.Hour: false,
		checkpoint.LeastGrace + time.Hour: true} {
		synctest.Test(t, func(t *testing.T) {
			ctx := context.Background()
			b, store := collectedRun(t, judged)
			ws := exec.Workspace{Dir: b.Controller.Dir, Blobs: store, Runs: store.runs}
			locked := b.Lock(t)
			report, err := b.Controller.Run(ctx, locked)
			if lost != errors.Is(err, checkpoint.ErrCollected) || !lost && report.Status() != history.Achieved {
				t.Fatalf("judged for %v: %v", judged, err)
			}
			for range 2 {
				time.Sleep(month)
				if _, err := ws.CollectShared(ctx, checkpoint.LeastGrace, false); err != nil {
					t.Errorf("judged for %v: %v", judged, err)
				}
			}
			ids, err := ws.IDs(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ws.Verify(ctx, ids[0]); err != nil {
				t.Errorf("judged for %v: %v", judged, err)
			}
		})
	}
}

// TestCollectedNothing: nothing is freed where nobody can know what is needed.
func TestCollectedNothing(t *testing.T) {
	ctx := context.Background()
	store := &collector{runs: &checkpoint.MemoryRuns{}, used: map[ledger.Digest]time.Time{}}
	for _, ws := range []exec.Workspace{{Blobs: &checkpoint.Memory{}, Runs: store.runs}, {Blobs: store}, {Runs: store.runs}} {
		if _, err := ws.CollectShared(ctx, month, false); !errors.Is(err, exec.ErrNotCollected) {
			t.Errorf("%+v: %v", ws, err)
		}
	}
	ws := exec.Workspace{Blobs: store, Runs: store.runs}
	if _, err := ws.CollectShared(ctx, month, false); !errors.Is(err, exec.ErrNothingKept) {
		t.Errorf("without a journal: %v", err)
	}
}
