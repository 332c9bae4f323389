package folder

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/internal/content"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/internal/disk"
	failing "github.com/planlock/planlock/internal/disk/faulty"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

// sizeOf is how many bytes all packs have.
func sizeOf(t *testing.T, dir string) (n int64) {
	t.Helper()
	for _, path := range packsIn(t, dir) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		n += info.Size()
	}
	return n
}

// A snapshot that finds no room leaves none of its contents in the pack,
// whichever of its writes fails, and the next one is whole.
func TestSnapshotWithoutRoomTakesBack(t *testing.T) {
	large := strings.Repeat("x", content.Small+1)
	for at := 1; ; at++ {
		dir, tree := t.TempDir(), t.TempDir()
		for name, text := range map[string]string{"a": "small", "b": large, "c": "other"} {
			if err := os.WriteFile(filepath.Join(tree, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		put(t, dir, "before")
		before := sizeOf(t, dir)
		full := &failing.Layer{Err: syscall.ENOSPC, At: at, Only: func(op *disk.Op) bool {
			return (op.Kind == disk.Write || op.Kind == disk.SyncData) && strings.HasSuffix(op.Path, packExt)
		}}
		d, err := Open(disk.With(t.Context(), disk.New(full)), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		scanned, err := new(scan.Scanner).Scan(t.Context(), tree, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = checkpoint.NewStore(d).Snapshot(t.Context(), tree, scanned, record.Snapshot{})
		if !full.Hit() {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		if err == nil {
			continue // the mark: it only spares reading
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%s failed: %v", full.What(), err)
		}
		if after := sizeOf(t, dir); after > before+int64(packHeader) {
			t.Errorf("%s failed: the packs have %d bytes, and had %d", full.What(), after, before)
		}
		full.Heal()
		again := openStore(t, dir)
		snap, err := checkpoint.NewStore(again).Snapshot(t.Context(), tree, scanned, record.Snapshot{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := checkpoint.NewStore(openStore(t, dir)).Tree(t.Context(), snap); err != nil {
			t.Error(err)
		}
		if got := holds(t, again, "before", "small", large, "other"); len(got) != 4 {
			t.Errorf("%s failed, and then %d of 4 contents are kept", full.What(), len(got))
		}
	}
}

// What somebody else was told is kept stays, and so does what was synced.
func TestTakeBackLeavesWhatOthersNeed(t *testing.T) {
	for name, tell := range map[string]func(*Blobs, context.Context) error{
		"nobody": func(*Blobs, context.Context) error { return nil },
		"has": func(d *Blobs, ctx context.Context) error {
			_,
				err := d.Has(ctx, ledger.Sum([]byte("b")))
			return err
		},
		"put": func(d *Blobs, ctx context.Context) error {
			return d.Put(ctx, ledger.Sum([]byte("b")), strings.NewReader("b"))
		},
		"sync": (*Blobs).Sync,
		"other": func(d *Blobs, ctx context.Context) error {
			return d.Put(ctx, ledger.Sum([]byte("z")), strings.NewReader("z"))
		},
	} {
		want := map[string][]string{"nobody": nil, "has": {"a", "b"}, "put": {"a", "b"}, "sync": {"a", "b", "c"}, "other": {"a", "b", "c", "z"}}[name]
		dir := t.TempDir()
		d := openStore(t, dir)
		for _, text := range []string{"a", "b", "c"} {
			if err := d.Put(t.Context(), ledger.Sum([]byte(text)), strings.NewReader(text)); err != nil {
				t.Fatal(err)
			}
		}
		told := tell(d, t.Context())
		gone, err := d.TakeBack(sumsOf("a", "b", "c"))
		if err = errors.Join(told, err); err != nil {
			t.Fatal(err)
		}
		if got := holds(t, d, "a", "b", "c", "z"); !slices.Equal(got, want) {
			t.Errorf("%s: %q are kept, want %q", name, got, want)
		}
		for _, text := range want {
			if slices.Contains(gone, ledger.Sum([]byte(text))) {
				t.Errorf("%s: %q is kept, and said to be gone", name, text)
			}
		}
		if err := errors.Join(d.Put(t.Context(), ledger.Sum([]byte("next")), strings.NewReader("next")),
			d.Close()); err != nil {
			t.Fatal(err)
		}
		if got := holds(t, openStore(t, dir), append(want, "next")...); len(got) != len(want)+1 {
			t.Errorf("%s: opened again, %q are kept", name, got)
		}
	}
}

// On a disk without any room Collect frees what takes none, and loses nothing.
func TestCollectOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "gone", "gone too")
	put(t, dir, "a", long)
	put(t, dir, "b")
	before := sizeOf(t, dir)
	full := &failing.Layer{Err: syscall.ENOSPC, At: 1, Forever: true,
		Only: func(op *disk.Op) bool { return op.Kind != disk.Truncate && op.Kind != disk.Mkdir }}
	ctx := disk.With(t.Context(), disk.New(full))
	d, err := Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Collect(ctx, slices.Values(sumsOf("a", "b")), false); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error is %v", err)
	}
	if got := holds(t, d, "a", "b", "gone", "gone too", long); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%.100q are left", got)
	}
	if after := sizeOf(t, dir); after > before-int64(len(long)) || len(packsIn(t, dir)) != 2 {
		t.Errorf("%d of %d bytes are left, in %q", after, before, packsIn(t, dir))
	}
	d = openStore(t, dir)
	if _, err := d.Collect(t.Context(), slices.Values(sumsOf("a", "b")), false); err != nil {
		t.Error(err)
	}
	if got := holds(t, d, "a", "b"); len(got) != 2 {
		t.Errorf("%q are left", got)
	}
}
