package cloud_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/checkpointtest"
	"github.com/planlock/planlock/checkpoint/cloud"
	"github.com/planlock/planlock/ledger"
)

const month = 30 * 24 * time.Hour

// of is the configuration of those who keep their journals in one place.
func of(runs checkpoint.Runs) cloud.Config {
	return cloud.Config{Runs: runs, Journals: func(context.Context) (map[string]checkpoint.Runs, error) {
		return map[string]checkpoint.Runs{"": runs}, nil
	}}
}

// openOf opens a bucket for them, until the test ends.
func openOf(t *testing.T, at string, config cloud.Config) *cloud.Blobs {
	t.Helper()
	b, err := cloud.Open(t.Context(), at, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// age has the objects in a folder be older.
func age(where string, by time.Duration) error {
	return filepath.WalkDir(where, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chtimes(name, time.Time{}, info.ModTime().Add(-by))
	})
}

// TestCollector: a place is a bucket, or a prefix of one.
func TestCollector(t *testing.T) {
	runs := &checkpoint.MemoryRuns{}
	t.Run("folder", func(t *testing.T) {
		checkpointtest.RunCollector(t, func(place string) (checkpoint.Collector, error) {
			return cloud.Open(t.Context(), folder(place), of(runs))
		}, age)
	})
	t.Run("s3", func(t *testing.T) {
		s := server(t)
		checkpointtest.RunCollector(t, func(place string) (checkpoint.Collector, error) {
			return cloud.Open(t.Context(), s.url+"&prefix=p"+strings.ReplaceAll(place, "/", "-")+"/", of(runs))
		}, func(place string, by time.Duration) error {
			return age(filepath.Join(s.bucket, "p"+strings.ReplaceAll(place, "/", "-")), by)
		})
	})
}

// everyFolder tries something against buckets whose objects are files.
func everyFolder(t *testing.T, try func(t *testing.T, at, where string)) {
	t.Run("folder", func(t *testing.T) {
		dir := t.TempDir()
		try(t, folder(dir), filepath.Join(dir, "planlock"))
	})
	t.Run("s3", func(t *testing.T) {
		s := server(t)
		try(t, s.url, s.bucket)
	})
}

func none(func(ledger.Digest, error) bool) {}

// TestCollectLate: a collection that is halted before it removes what it has found
// to be garbage, for however long, takes nothing away that was found, or put, since.
func TestCollectLate(t *testing.T) {
	everyFolder(t, func(t *testing.T, at, where string) {
		b, ctx := openOf(t, at, of(&checkpoint.MemoryRuns{})), t.Context()
		found, again := []byte("found"), []byte("put again")
		keep := func(c []byte) {
			t.Helper()
			if err := errors.Join(b.Put(ctx, ledger.Sum(c), bytes.NewReader(c)), b.Sync(ctx)); err != nil {
				t.Fatal(err)
			}
		}
		keep(found)
		keep(again)
		if err := age(where, month); err != nil {
			t.Fatal(err)
		}
		doomed := append(objects(where, found), objects(where, again)...) // as a collection finds
		if has, err := b.Has(ctx, ledger.Sum(found)); !has || err != nil {
			t.Fatal(has, err)
		}
		if _, err := b.Collect(ctx, only(found), checkpoint.LeastGrace, false); err != nil { // another one takes "put again" away
			t.Fatal(err)
		}
		keep(again)
		for _, name := range doomed {
			_ = os.Remove(name)
		}
		for _, c := range [][]byte{found, again} {
			r, err := b.Get(ctx, ledger.Sum(c))
			if err != nil {
				t.Errorf("%s: %v", c, err)
				continue
			}
			if got, err := io.ReadAll(r); !bytes.Equal(got, c) || err != nil {
				t.Errorf("%s: %q, %v", c, got, err)
			}
			_ = r.Close()
		}
	})
}

// only are the digests of contents.
func only(contents ...[]byte) iter.Seq2[ledger.Digest, error] {
	return func(yield func(ledger.Digest, error) bool) {
		for _, c := range contents {
			if !yield(ledger.Sum(c), nil) {
				return
			}
		}
	}
}

// TestCollectTwice: of a content that lies under several keys one stays, and all
// collections agree which.
func TestCollectTwice(t *testing.T) {
	everyFolder(t, func(t *testing.T, at, where string) {
		b, ctx, c := openOf(t, at, of(&checkpoint.MemoryRuns{})), t.Context(), []byte("a content that stays")
		if err := errors.Join(b.Put(ctx, ledger.Sum(c), bytes.NewReader(c)), b.Sync(ctx)); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := age(where, month); err != nil {
				t.Fatal(err)
			}
			if has, err := b.Has(ctx, ledger.Sum(c)); !has || err != nil {
				t.Fatal(has, err)
			}
		}
		names := objects(where, c)
		if len(names) != 4 {
			t.Fatalf("it lies under %q", names)
		}
		same := time.Now().Add(-month).Truncate(time.Second)
		for _, name := range names { // as two who put it at a time
			if err := os.Chtimes(name, same, same); err != nil {
				t.Fatal(err)
			}
		}
		want := checkpoint.Collected{Kept: 1, Bytes: 3 * int64(len(c))}
		for _, dryRun := range []bool{true, false} {
			if got, err := b.Collect(ctx, only(c), month/2, dryRun); got != want || err != nil {
				t.Errorf("dry run %v: %+v, %v", dryRun, got, err)
			}
		}
		if got := objects(where, c); len(got) != 1 || got[0] != names[3] {
			t.Errorf("%q stays of %q", got, names)
		}
		if got, err := b.Collect(ctx, only(c), month/2, false); got != (checkpoint.Collected{Kept: 1}) || err != nil {
			t.Errorf("once more: %+v, %v", got, err)
		}
	})
}

// TestCollectOthers: nothing is freed while somebody refers to contents here whose
// journals are not read, or nobody said where they are.
func TestCollectOthers(t *testing.T) {
	everyFolder(t, func(t *testing.T, at, where string) {
		ctx, c := t.Context(), []byte("a content of another")
		put := func(b *cloud.Blobs) {
			t.Helper()
			if err := errors.Join(b.Put(ctx, ledger.Sum(c), bytes.NewReader(c)), b.Sync(ctx)); err != nil {
				t.Fatal(err)
			}
		}
		collects := func(b *cloud.Blobs, want bool) {
			t.Helper()
			freed, err := b.Collect(ctx, none, month/2, false)
			if want && (err != nil || freed.Contents != 1) || !want && !errors.Is(err, checkpoint.ErrNotCollected) {
				t.Errorf("%+v, %v", freed, err)
			}
			if !want {
				t.Log(err)
			}
		}
		mine, other := &checkpoint.MemoryRuns{}, &checkpoint.MemoryRuns{}
		put(openOf(t, at, of(mine)))
		if err := age(where, month); err != nil {
			t.Fatal(err)
		}
		before := objects(where, c)
		// Whoever finds a content refers to it as who puts it.
		b := openOf(t, at, of(other))
		if has, err := b.Has(ctx, ledger.Sum(c)); !has || err != nil {
			t.Fatal(has, err)
		}
		collects(openOf(t, at, of(mine)), false)
		collects(openOf(t, at, of(other)), false)
		collects(openOf(t, at, cloud.Config{Runs: mine}), false)
		if got := objects(where, c); len(got) != len(before)+1 {
			t.Errorf("%q are left of %q", got, before)
		}
		both := of(mine)
		both.Journals = func(context.Context) (map[string]checkpoint.Runs, error) {
			return map[string]checkpoint.Runs{"a": mine, "b": other}, nil
		}
		if err := age(where, month); err != nil {
			t.Fatal(err)
		}
		collects(openOf(t, at, both), true)
		put(openOf(t, at, cloud.Config{})) // nobody knows for which journals
		collects(openOf(t, at, both), false)
	})
}

// TestCopyRefused: what a bucket does not copy is read and written.
func TestCopyRefused(t *testing.T) {
	s := server(t)
	var refused atomic.Int64
	proxy := proxied(t, s.host, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("X-Amz-Copy-Source") == "" {
			return true
		}
		refused.Add(1)
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, "<Error><Code>InvalidRequest</Code><Message>It is larger than the maximum</Message></Error>")
		return false
	})
	b, ctx := openOf(t, at(proxy), of(&checkpoint.MemoryRuns{})), t.Context()
	c := bytes.Repeat([]byte("a large content "), 1<<20)
	if err := errors.Join(b.Put(ctx, ledger.Sum(c), bytes.NewReader(c)), b.Sync(ctx), age(s.bucket, month)); err != nil {
		t.Fatal(err)
	}
	if has, err := b.Has(ctx, ledger.Sum(c)); !has || err != nil || refused.Load() == 0 {
		t.Fatalf("%v, %v; %d copies were refused", has, err, refused.Load())
	}
	if freed, err := b.Collect(ctx, none, month/2, false); err != nil || freed.Young != 1 {
		t.Errorf("%+v, %v", freed, err)
	}
	r, err := b.Get(ctx, ledger.Sum(c))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := io.ReadAll(r); !bytes.Equal(got, c) || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
