package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/internal/content"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

// A writeCount counts the writes to a pack.
type writeCount struct {
	packFile
	writes int
}

func (c *writeCount) WriteAt(b []byte, at int64) (int, error) {
	c.writes++
	return c.packFile.WriteAt(b, at)
}

// A faulty pack fails its syncs, or what is written behind its room.
type faulty struct {
	packFile
	sync error
	room int64 // where the disk is full; 0: nowhere
}

func (f *faulty) WriteAt(b []byte, at int64) (int, error) {
	if end := at + int64(len(b)); f.room > 0 && end > f.room {
		n, _ := f.packFile.WriteAt(b[:max(0, f.room-at)], at)
		return n, syscall.ENOSPC
	}
	return f.packFile.WriteAt(b, at)
}

func (f *faulty) Sync() error {
	if f.sync != nil {
		return f.sync
	}
	return f.packFile.Sync()
}

func openFolder(t *testing.T, dir string) *Blobs {
	t.Helper()
	d, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func putText(t *testing.T, d *Blobs, text string) ledger.Digest {
	t.Helper()
	digest := ledger.Sum([]byte(text))
	if err := d.Put(t.Context(), digest, bytes.NewReader([]byte(text))); err != nil {
		t.Fatal(err)
	}
	return digest
}

// Small contents are written together, and can be read before and after that.
func TestSmallContentsAreGathered(t *testing.T) {
	dir := t.TempDir()
	d := openFolder(t, dir)
	digests := map[ledger.Digest]string{}
	put := func(text string) { digests[putText(t, d, text)] = text }
	put("first")
	count := &writeCount{packFile: d.own.f}
	d.own.f = count
	readAll := func(from *Blobs) {
		t.Helper()
		for digest, text := range digests {
			if got, err := checkpoint.NewStore(from).Get(t.Context(), digest); err != nil || string(got) != text {
				t.Fatalf("%.20q: got %.20q, %v", text, got, err)
			}
		}
	}
	for i := range 400 {
		put(fmt.Sprintf("%d %0*d", i, i*10, 0)) // 800 KiB together
		if i%50 == 0 {
			readAll(d)
		}
	}
	put("")
	put(string(bytes.Repeat([]byte("x"), content.Small-1)))
	put(string(bytes.Repeat([]byte("y"), content.Small)))
	put("last")
	readAll(d)
	if err := d.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	readAll(d)
	if count.writes > 10 {
		t.Errorf("%d writes for %d contents", count.writes, len(digests))
	}
	readAll(openFolder(t, dir))
}

// What could not be written stays in memory until it can, and is not called
// durable.
func TestGatheredContentsOutliveAFullDisk(t *testing.T) {
	dir := t.TempDir()
	d := openFolder(t, dir)
	putText(t, d, "first")
	if err := d.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	full := &faulty{packFile: d.own.f, room: d.own.end + 100}
	d.own.f = full
	kept := putText(t, d, string(bytes.Repeat([]byte("k"), 1000)))
	for range 2 {
		if err := d.Sync(t.Context()); !errors.Is(err, syscall.ENOSPC) || errors.Is(err, checkpoint.ErrDead) {
			t.Fatalf("on a full disk: %v", err)
		}
	}
	large := bytes.Repeat([]byte("l"), gatherSize)
	if err := d.Put(t.Context(), ledger.Sum(large), bytes.NewReader(large)); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("what has no room: %v", err)
	}
	if has, err := d.Has(t.Context(), ledger.Sum(large)); err != nil || has {
		t.Fatalf("what has no room is there: %v", err)
	}
	if info, err := os.Stat(d.path(d.own.name)); err != nil || info.Size() != d.own.written() {
		t.Fatalf("a write that failed left something behind: %v, %v", info, err)
	}
	full.room = 0
	if err := d.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := checkpoint.NewStore(openFolder(t, dir)).Get(t.Context(), kept); err != nil || len(got) != 1000 {
		t.Fatalf("with space again: %d bytes, %v", len(got), err)
	}
}

// After a sync that failed nothing of what was gathered is there, and all else
// can be looked through.
func TestGatheredContentsDieWithTheFolder(t *testing.T) {
	d := openFolder(t, t.TempDir())
	putText(t, d, "first")
	if err := d.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.own.f = &faulty{packFile: d.own.f, sync: syscall.EIO}
	lost := putText(t, d, "lost")
	if err := d.Sync(t.Context()); !errors.Is(err, checkpoint.ErrDead) {
		t.Fatal(err)
	}
	if has, err := d.Has(t.Context(), lost); err != nil || has {
		t.Errorf("what was lost is there: %v", err)
	}
	if _, err := d.Check(t.Context(), func(f Fault) { t.Error(f) }); err != nil {
		t.Error(err)
	}
}

// What a snapshot that failed had put is not durable: the next one does not
// rely on it.
func TestContentsOfAFailedSnapshotAreNotReliedOn(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	scanned := func() *ledger.Tree {
		t.Helper()
		tree, err := new(scan.Scanner).Scan(t.Context(), dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	write("a", "kept before")
	s := checkpoint.NewStore(openFolder(t, t.TempDir()))
	base, err := s.Snapshot(t.Context(), dir, scanned(), record.Snapshot{})
	if err != nil {
		t.Fatal(err)
	}
	write("a", "put and lost")
	write("b", "moves")
	tree := scanned()
	write("b", "moved")
	var changed *checkpoint.ChangedError
	if _, _, err := s.SnapshotInline(t.Context(), dir, tree, base); !errors.As(err, &changed) || changed.Path != "b" {
		t.Fatal(err)
	}
	_, in, err := s.SnapshotInline(t.Context(), dir, scanned(), base)
	if err != nil {
		t.Fatal(err)
	}
	carried := fmt.Sprintf("%q", in)
	for _, want := range []string{"put and lost", "moved"} {
		if !bytes.Contains([]byte(carried), []byte(want)) {
			t.Errorf("%q is neither synced nor carried: %s", want, carried)
		}
	}
}

// What a record names is in the pack when the snapshot returns, where other
// processes see it.
func TestInlineContentsAreWritten(t *testing.T) {
	dir, objects := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("content"), 0o644); err != nil {
		t.Fatal(err)
	}
	tree, err := new(scan.Scanner).Scan(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	snap, in, err := checkpoint.NewStore(openFolder(t, objects)).SnapshotInline(t.Context(), dir, tree,
		record.Snapshot{})
	if err != nil || len(in) == 0 {
		t.Fatal(in, err)
	}
	if _, err := checkpoint.NewStore(openFolder(t, objects)).Tree(t.Context(), snap); err != nil {
		t.Error(err)
	}
}

// A pack that is taken away while it is written costs what is in it, and the
// store says so.
func TestFolderPackTakenAway(t *testing.T) {
	for name, do := range map[string]func(pack string) error{
		"removed": os.Remove,
		"cut":     func(pack string) error { return os.Truncate(pack, 20) },
		"all":     func(pack string) error { return os.RemoveAll(filepath.Dir(filepath.Dir(pack))) },
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Open(t.Context(), filepath.Join(t.TempDir(), "objects"))
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			s := checkpoint.NewStore(d)
			kept, err := s.Put(t.Context(), []byte("kept"))
			if err != nil {
				t.Fatal(err)
			}
			if err := do(d.path(d.own.name)); err != nil {
				t.Skip("needs files that can be taken away while they are open: ", err)
			}
			if err := d.Sync(t.Context()); !errors.Is(err, checkpoint.ErrDead) || !errors.Is(err,
				checkpoint.ErrReplaced) {
				t.Errorf("error is %v", err)
			}
			if has, err := d.Has(t.Context(), kept); has || err != nil {
				t.Errorf("what is gone is kept: %v, %v", has, err)
			}
			if _, err := checkpoint.NewStore(d).Put(t.Context(), []byte("more")); !errors.Is(err, checkpoint.ErrDead) {
				t.Errorf("after it: %v", err)
			}
		})
	}
}

func TestFolderAfterFailedSync(t *testing.T) {
	dir := t.TempDir()
	d, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	s := checkpoint.NewStore(d)
	kept, err := s.Put(t.Context(), []byte("kept"))
	if err != nil {
		t.Fatal(err)
	}
	whole := d.own.f
	d.own.f = &faulty{packFile: whole, sync: syscall.EIO}
	if _, err := s.Put(t.Context(), []byte("lost")); !errors.Is(err, checkpoint.ErrDead) || !errors.Is(err,
		syscall.EIO) {
		t.Fatalf("error is %v", err)
	}
	d.own.f = whole
	if _, err := s.Put(t.Context(), []byte("lost")); !errors.Is(err, checkpoint.ErrDead) {
		t.Fatalf("after it: %v", err)
	}
	if got, err := s.Get(t.Context(), kept); err != nil || string(got) != "kept" {
		t.Fatalf("what was synced: %q, %v", got, err)
	}
	d.Close()
	if d, err = Open(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	lost, err := checkpoint.NewStore(d).Put(t.Context(), []byte("lost")) // written again, whatever is there
	if err != nil {
		t.Fatal(err)
	}
	if got, err := checkpoint.NewStore(d).Get(t.Context(), lost); err != nil || string(got) != "lost" {
		t.Fatalf("after opening it again: %q, %v", got, err)
	}
}

func TestFolderFullDisk(t *testing.T) {
	d, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s := checkpoint.NewStore(d)
	if _, err := s.Put(context.Background(), []byte("first")); err != nil {
		t.Fatal(err)
	}
	full := &faulty{packFile: d.own.f, room: d.own.end + 100}
	d.own.f = full
	for _, size := range []int{1000, 3 << 20} {
		if _, err := s.Put(t.Context(), bytes.Repeat([]byte("x"), size)); !errors.Is(err, syscall.ENOSPC) ||
			errors.Is(err, checkpoint.ErrDead) {
			t.Fatalf("%d bytes: %v", size, err)
		}
	}
	full.room = 0
	again, err := s.Put(t.Context(), bytes.Repeat([]byte("x"), 1000))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(t.Context(), again); err != nil || len(got) != 1000 {
		t.Fatalf("with space again: %d bytes, %v", len(got), err)
	}
}
