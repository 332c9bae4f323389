package cache_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/cache"
	"github.com/planlock/planlock/checkpoint/checkpointtest"
	"github.com/planlock/planlock/ledger"
)

func TestBlobs(t *testing.T) {
	for name, most := range map[string]int64{"large": 1 << 30, "small": 1 << 20, "none": -1} {
		t.Run(name, func(t *testing.T) {
			under := &checkpoint.Memory{}
			checkpointtest.RunBlobs(t, func() (checkpoint.Blobs, error) { return cache.Open(t.TempDir(), most, under) })
		})
	}
}

// elsewhere counts what is read.
type elsewhere struct {
	checkpoint.Memory
	gets, asks atomic.Int64
	wait       chan struct{} // until it is closed nothing is read
}

func (e *elsewhere) Get(ctx context.Context, d ledger.Digest) (io.ReadCloser, error) {
	e.gets.Add(1)
	if e.wait != nil {
		<-e.wait
	}
	return e.Memory.Get(ctx, d)
}

func (e *elsewhere) Has(ctx context.Context, d ledger.Digest) (bool, error) {
	e.asks.Add(1)
	return e.Memory.Has(ctx, d)
}

// text is a content of a size.
func text(n, size int) []byte { return bytes.Repeat(fmt.Appendf(nil, "%8d", n), size/8) }

// filled are contents elsewhere.
func filled(t *testing.T, many, size int) (*elsewhere, []ledger.Digest) {
	t.Helper()
	under, digests := &elsewhere{}, make([]ledger.Digest, many)
	for n := range many {
		digests[n] = ledger.Sum(text(n, size))
		if err := under.Put(t.Context(), digests[n], bytes.NewReader(text(n, size))); err != nil {
			t.Fatal(err)
		}
	}
	return under, digests
}

func open(t *testing.T, dir string, most int64, under checkpoint.Blobs) *cache.Blobs {
	t.Helper()
	b, err := cache.Open(dir, most, under)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() }) // a test may have closed it
	return b
}

// reads fails the test unless a content is as it should be.
func reads(t *testing.T, b checkpoint.Blobs, d ledger.Digest) {
	t.Helper()
	in, err := b.Get(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(in)
	if err := errors.Join(err, in.Close()); err != nil || ledger.Sum(got) != d {
		t.Fatalf("%d bytes of %s, of which the digest is %s: %v", len(got), d, ledger.Sum(got), err)
	}
}

// files are those of a folder, and how many bytes they have.
func files(t *testing.T, dir string) (names []string, size int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, f fs.DirEntry, err error) error {
		if err == nil && f.Type().IsRegular() && f.Name() != "lock" {
			info, err := f.Info()
			if err != nil {
				return err
			}
			names, size = append(names, path), size+info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names, size
}

// TestLeastRecentlyUsedGoesFirst: also where the folder was closed in between.
func TestLeastRecentlyUsedGoesFirst(t *testing.T) {
	for _, size := range []int{4 << 10, 2 << 20} {
		dir := t.TempDir()
		under, all := filled(t, 6, size)
		b := open(t, dir, int64(4*size), under)
		for _, n := range []int{0, 1, 2, 3, 0} {
			reads(t, b, all[n])
			time.Sleep(5 * time.Millisecond) // times of files are what is known of order after Close
		}
		reads(t, b, all[4]) // 1 goes
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		b = open(t, dir, int64(4*size), under)
		reads(t, b, all[5]) // 2 goes
		before := under.gets.Load()
		for _, n := range []int{0, 3, 4, 5} {
			reads(t, b, all[n])
		}
		if got := under.gets.Load(); got != before {
			t.Errorf("of %d bytes each: %d of the last four were read again", size, got-before)
		}
		if _, total := files(t, dir); total != int64(4*size) {
			t.Errorf("%d bytes are kept, want %d", total, 4*size)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		open(t, dir, int64(2*size), under)
		if _, total := files(t, dir); total != int64(2*size) {
			t.Errorf("%d bytes are kept where there may be %d", total, 2*size)
		}
	}
}

// TestWhatIsUsedStays: while somebody holds the cache, what he uses is not removed for
// what is more, which is not kept then.
func TestWhatIsUsedStays(t *testing.T) {
	under, all := filled(t, 8, 1<<10)
	b := open(t, t.TempDir(), 4<<10, under)
	reads(t, b, all[7])
	letGo := b.Hold()
	b.Fetch(t.Context(), all[:6])
	before := under.gets.Load()
	for range 2 { // four of six are kept
		for _, d := range all[:6] {
			reads(t, b, d)
		}
	}
	if got := under.gets.Load() - before; got != 2*2 || before > 1+6 {
		t.Errorf("%d were read again, after %d", got, before)
	}
	letGo()
	reads(t, b, all[6])
	before = under.gets.Load()
	reads(t, b, all[6])
	if got := under.gets.Load(); got != before {
		t.Error("nothing more is kept once it is let go")
	}
}

// TestDamagedIsReadAgain: what somebody did to a file of the cache reaches nobody.
func TestDamagedIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	under, all := filled(t, 4, 2<<20)
	b := open(t, dir, 1<<30, under)
	for _, d := range all {
		reads(t, b, d)
	}
	for i, smash := range []func(name string) error{
		func(name string) error { return os.WriteFile(name, []byte("else"), 0o600) },
		func(name string) error { return os.Truncate(name, 1<<20) },
		os.Remove,
		func(name string) error { return errors.Join(os.Remove(name), os.Mkdir(name, 0o700)) },
	} {
		sum := strings.TrimPrefix(string(all[i]), "sha256:")
		if err := smash(filepath.Join(dir, sum[:2], sum[2:])); err != nil {
			t.Fatal(err)
		}
	}
	before := under.gets.Load()
	for _, d := range all {
		reads(t, b, d)
	}
	if got := under.gets.Load() - before; got < 4 {
		t.Errorf("%d were read again, want 4", got)
	}
}

// TestOneProcess: a folder is one cache's at a time; what the one before left
// unfinished is removed.
func TestOneProcess(t *testing.T) {
	dir := t.TempDir()
	under, all := filled(t, 1, 1<<10)
	b := open(t, dir, 1<<20, under)
	reads(t, b, all[0])
	if _, err := cache.Open(dir, 1<<20, under); !errors.Is(err, cache.ErrHeld) || !strings.Contains(err.Error(), dir) {
		t.Errorf("a second one: %v", err)
	}
	if err := errors.Join(b.Close(), os.WriteFile(filepath.Join(dir, "new-1"), []byte("half"), 0o600),
		os.WriteFile(filepath.Join(dir, "README"), []byte("mine"), 0o600)); err != nil {
		t.Fatal(err)
	}
	b = open(t, dir, 0, under)
	names, _ := files(t, dir)
	if want := []string{filepath.Join(dir, "README")}; !slices.Equal(names, want) {
		t.Errorf("%q are left, want %q", names, want)
	}
	reads(t, b, all[0])
}

// TestReadOnce: of many who want a content at a time one reads it.
func TestReadOnce(t *testing.T) {
	under, all := filled(t, 1, 2<<20)
	under.wait = make(chan struct{})
	b := open(t, t.TempDir(), 1<<30, under)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() { reads(t, b, all[0]) })
	}
	time.Sleep(20 * time.Millisecond)
	close(under.wait)
	wait.Wait()
	if got := under.gets.Load(); got != 1 {
		t.Errorf("it was read %d times", got)
	}
	for range 3 {
		if has, err := b.Has(t.Context(), all[0]); !has || err != nil {
			t.Error(has, err)
		}
	}
	// Reading it says to nobody there that it is used.
	if got := under.asks.Load(); got != 1 {
		t.Errorf("it was asked for %d times, want once", got)
	}
}

// TestPutIsNotSure: what is here since it was put may be lost elsewhere.
func TestPutIsNotSure(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir, 1<<20, &checkpoint.Memory{})
	d := ledger.Sum(text(1, 64))
	if err := b.Put(t.Context(), d, bytes.NewReader(text(1, 64))); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = open(t, dir, 1<<20, &checkpoint.Memory{})
	reads(t, b, d)
	if has, err := b.Has(t.Context(), d); has || err != nil {
		t.Errorf("it is not elsewhere: %v %v", has, err)
	}
}

// TestFolderIsGone: without its folder the cache keeps nothing, and fails nobody.
func TestFolderIsGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "c")
	under, all := filled(t, 2, 2<<20)
	b := open(t, dir, 1<<30, under)
	reads(t, b, all[0])
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	reads(t, b, all[0])
	reads(t, b, all[1])
	if err := b.Put(t.Context(), ledger.Sum([]byte("x")), strings.NewReader("x")); err != nil {
		t.Error(err)
	}
}

// TestSureForHours: what was found elsewhere may be freed there later.
func TestSureForHours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		under, all := filled(t, 1, 64)
		b := open(t, t.TempDir(), 1<<20, under)
		reads(t, b, all[0])
		for _, want := range []int64{1, 1, 2, 2} {
			if has, err := b.Has(t.Context(), all[0]); !has || err != nil || under.asks.Load() != want {
				t.Errorf("%v, %v, and it was asked for %d times, want %d", has, err, under.asks.Load(), want)
			}
			time.Sleep(checkpoint.RenewAfter * 2 / 3)
		}
	})
}
