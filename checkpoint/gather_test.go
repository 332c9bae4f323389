package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"

	"github.com/planlock/planlock/checkpoint/record"
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

func openFolder(t *testing.T, dir string) *Folder {
	t.Helper()
	d, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func putText(t *testing.T, d *Folder, text string) ledger.Digest {
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
	readAll := func(from *Folder) {
		t.Helper()
		for digest, text := range digests {
			if got, err := NewStore(from).Get(t.Context(), digest); err != nil || string(got) != text {
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
	put(string(bytes.Repeat([]byte("x"), smallBlob-1)))
	put(string(bytes.Repeat([]byte("y"), smallBlob)))
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
	full := &faulty{logFile: d.own.f.(logFile), room: d.own.end + 100}
	d.own.f = full
	kept := putText(t, d, string(bytes.Repeat([]byte("k"), 1000)))
	for range 2 {
		if err := d.Sync(t.Context()); !errors.Is(err, syscall.ENOSPC) || errors.Is(err, ErrDead) {
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
	if got, err := NewStore(openFolder(t, dir)).Get(t.Context(), kept); err != nil || len(got) != 1000 {
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
	d.own.f = &faulty{logFile: d.own.f.(logFile), sync: syscall.EIO}
	lost := putText(t, d, "lost")
	if err := d.Sync(t.Context()); !errors.Is(err, ErrDead) {
		t.Fatal(err)
	}
	if has, err := d.Has(t.Context(), lost); err != nil || has {
		t.Errorf("what was lost is there: %v", err)
	}
	if _, err := d.Check(t.Context(), func(f PackFault) { t.Error(f) }); err != nil {
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
	s := NewStore(openFolder(t, t.TempDir()))
	base, err := s.Snapshot(t.Context(), dir, scanned(), record.Snapshot{})
	if err != nil {
		t.Fatal(err)
	}
	write("a", "put and lost")
	write("b", "moves")
	tree := scanned()
	write("b", "moved")
	var changed *ChangedError
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
	snap, in, err := NewStore(openFolder(t, objects)).SnapshotInline(t.Context(), dir, tree, record.Snapshot{})
	if err != nil || len(in) == 0 {
		t.Fatal(in, err)
	}
	if _, err := NewStore(openFolder(t, objects)).Tree(t.Context(), snap); err != nil {
		t.Error(err)
	}
}
