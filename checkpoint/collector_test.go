package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

// asked are blobs of which some are freed; they count how often each is asked for.
type asked struct {
	checkpoint.Memory
	mu    sync.Mutex
	freed map[ledger.Digest]bool
	has   map[ledger.Digest]int
}

func (a *asked) Has(ctx context.Context, d ledger.Digest) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.has[d]++
	has, err := a.Memory.Has(ctx, d)
	return has && !a.freed[d], err
}

func (a *asked) Get(ctx context.Context, d ledger.Digest) (io.ReadCloser, error) {
	if a.freed[d] {
		return nil, checkpoint.ErrNotFound
	}
	return a.Memory.Get(ctx, d)
}

func newAsked() *asked {
	return &asked{freed: map[ledger.Digest]bool{}, has: map[ledger.Digest]int{}}
}

// kept is a folder with two files, and its snapshot in b.
func kept(t *testing.T, b checkpoint.Blobs) (*checkpoint.Store, record.Snapshot, []ledger.Digest) {
	dir := t.TempDir()
	var contents []ledger.Digest
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
		contents = append(contents, ledger.Sum([]byte(name)))
	}
	tree, err := (&scan.Scanner{}).Scan(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := checkpoint.NewStore(b)
	snap, err := s.Snapshot(t.Context(), dir, tree, record.Snapshot{})
	if err != nil {
		t.Fatal(err)
	}
	return s, snap, append(contents, snap.Manifest)
}

// TestReferLooksAgain: what was kept long ago, and no record refers to, is looked
// for before one does; what was kept lately, or is referred to already, is not.
func TestReferLooksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newAsked()
		s, snap, needs := kept(t, b)
		data := fmt.Appendf(nil, `{"snapshot":{"tree":%q,"manifest":%q}}`, snap.Tree, snap.Manifest)
		refer := func(times int, say bool) {
			t.Helper()
			clear(b.has)
			done, err := s.Refer(t.Context(), data, []byte(`{}`))
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range needs {
				if b.has[d] != times {
					t.Errorf("%s was looked for %d times, want %d", d.Short(), b.has[d], times)
				}
			}
			if say {
				done()
			}
		}
		refer(0, false)
		time.Sleep(checkpoint.RenewAfter + time.Second)
		refer(1, false)
		refer(0, false)
		time.Sleep(checkpoint.RenewAfter + time.Second)
		refer(1, true)
		time.Sleep(checkpoint.RenewAfter + time.Second)
		refer(0, true)
	})
}

// TestReferTooLate: a record that would refer to what is gone is not written.
func TestReferTooLate(t *testing.T) {
	for i := range 3 {
		synctest.Test(t, func(t *testing.T) {
			b := newAsked()
			s, snap, needs := kept(t, b)
			b.freed[needs[i]] = true
			time.Sleep(checkpoint.RenewAfter + time.Second)
			if _, err := s.Refer(t.Context(), fmt.Appendf(nil, `[%q]`, snap.Manifest)); !errors.Is(err, checkpoint.ErrCollected) {
				t.Errorf("without %s: %v", needs[i].Short(), err)
			}
		})
	}
}

// TestStoreForgets: what a store knows to be kept it does not believe for ever.
func TestStoreForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newAsked()
		s := checkpoint.NewStore(b)
		for _, c := range []struct {
			after time.Duration
			puts  bool
		}{{0, true}, {checkpoint.RenewAfter - time.Second, false}, {2 * time.Second, true}, {time.Hour, false}} {
			time.Sleep(c.after)
			b.Memory = checkpoint.Memory{} // it forgets
			d, err := s.Put(t.Context(), []byte("content"))
			if err != nil {
				t.Fatal(err)
			}
			if has, err := b.Memory.Has(t.Context(), d); has != c.puts || err != nil {
				t.Errorf("%v later it was put: %v, want %v, %v", c.after, has, c.puts, err)
			}
		}
	})
}
