package checkpoint_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
)

// A countingBlobs counts syncs, and forgets what was not synced when the power
// goes.
type countingBlobs struct {
	checkpoint.Blobs
	syncs int
}

func (b *countingBlobs) Sync(ctx context.Context) error {
	b.syncs++
	return b.Blobs.Sync(ctx)
}

// losePacks takes away all that is behind the last mark of each pack, as a
// power cut may.
func losePacks(t *testing.T, dir string, sizes map[string]int64) {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(dir, "packs", "*"))
	must(t, err)
	for _, p := range packs {
		must(t, os.Truncate(p, sizes[p]))
	}
}

func packSizes(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(dir, "packs", "*"))
	must(t, err)
	sizes := map[string]int64{}
	for _, p := range packs {
		info, err := os.Stat(p)
		must(t, err)
		sizes[p] = info.Size()
	}
	return sizes
}

// A small snapshot costs no sync, and can be read after a power cut from what
// the journal carries; the next thing that is kept makes it durable.
func TestSnapshotInline(t *testing.T) {
	dir, objects := t.TempDir(), t.TempDir()
	write := func(name, text string) { must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)) }
	write("a", "first")
	opened, err := folder.Open(t.Context(), objects)
	must(t, err)
	blobs := &countingBlobs{Blobs: opened}
	store := checkpoint.NewStore(blobs)
	base, err := store.Snapshot(t.Context(), dir, scanned(t, dir, ledger.Scope{}), record.Snapshot{})
	must(t, err)
	synced := packSizes(t, objects)
	blobs.syncs = 0

	write("a", "second")
	tree := scanned(t, dir, ledger.Scope{})
	snap, in, err := store.SnapshotInline(t.Context(), dir, tree, base)
	must(t, err)
	if len(in) != 2 || string(in[0]) != "second" || blobs.syncs != 0 {
		t.Fatalf("%q were not synced, after %d syncs", in, blobs.syncs)
	}
	store.Settle()
	data, err := json.Marshal(map[string]any{"inline": in, "snapshot": snap})
	must(t, err)
	losePacks(t, objects, synced)

	again, err := folder.Open(t.Context(), objects)
	must(t, err)
	blobs = &countingBlobs{Blobs: again}
	store = checkpoint.NewStore(blobs)
	if _, err := store.Tree(t.Context(), snap); err == nil {
		t.Fatal("nothing was lost, so nothing is tested")
	}
	var carried struct{ Inline record.Inline }
	must(t, json.Unmarshal(data, &carried), store.Adopt(t.Context(), carried.Inline))
	want, err := store.Tree(t.Context(), snap)
	must(t, err)
	write("a", "something else")
	must(t, store.Restore(t.Context(), dir, want, scanned(t, dir, ledger.Scope{})))
	if got, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || string(got) != "second" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := store.Put(t.Context(), []byte("anything")); err != nil || blobs.syncs != 2 {
		t.Errorf("%d syncs, %v", blobs.syncs, err)
	}
	must(t, again.Close())
	last, err := folder.Open(t.Context(), objects)
	must(t, err)
	defer last.Close()
	if _, err := checkpoint.NewStore(last).Tree(t.Context(), snap); err != nil {
		t.Errorf("it was adopted, and is not kept: %v", err)
	}
	// References finds what a record carries, too.
	lost, err := folder.Open(t.Context(), t.TempDir())
	must(t, err)
	defer lost.Close()
	var log checkpoint.MemoryLog
	j, err := checkpoint.OpenJournal(t.Context(), &log, "run", nil, nil)
	must(t, err)
	_, err = j.Append(t.Context(), record.Fact{Type: "x", Data: data})
	must(t, err)
	paths := ""
	for ref, err := range checkpoint.NewStore(lost).References(t.Context(), &log, "run") {
		if err == nil {
			paths += ref.Path
		}
	}
	if !strings.Contains(paths, "a") {
		t.Errorf("paths %q", paths)
	}
}

// What is not settled is synced by whatever comes next; what is too large, or
// would make too much of it, at once.
func TestSnapshotInlineIsNeverForgotten(t *testing.T) {
	dir := t.TempDir()
	opened, err := folder.Open(t.Context(), t.TempDir())
	must(t, err)
	defer opened.Close()
	blobs := &countingBlobs{Blobs: opened}
	store := checkpoint.NewStore(blobs)
	take := func(text string) (record.Inline, int) {
		t.Helper()
		before := blobs.syncs
		must(t, os.WriteFile(filepath.Join(dir, "a"), []byte(text), 0o644))
		_, in, err := store.SnapshotInline(t.Context(), dir, scanned(t, dir, ledger.Scope{}), record.Snapshot{})
		must(t, err)
		return in, blobs.syncs - before
	}
	if in, n := take("one"); in == nil || n != 0 {
		t.Errorf("a small one: %q after %d syncs", in, n)
	}
	if in, n := take("two"); in == nil || n != 1 {
		t.Errorf("after one that was not settled: %q after %d syncs", in, n)
	}
	store.Settle()
	if in, n := take(strings.Repeat("x", 32<<10)); in != nil || n != 1 {
		t.Errorf("a large one: %d contents after %d syncs", len(in), n)
	}
	most := 0
	for i := range 100 {
		in, n := take(strings.Repeat("y", 30<<10) + string(rune('a'+i%26)) + string(rune('a'+i/26)))
		store.Settle()
		if most++; n > 0 {
			if in != nil || n != 1 || most < 20 {
				t.Errorf("%d contents after %d syncs, the first since %d", len(in), n, most)
			}
			return
		}
	}
	t.Error("it was never synced")
}
