package remote

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/cache"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
	"github.com/planlock/planlock/plan"
)

// TestWhatMovedIsRead: an owner reads of a folder what moved since the step before, and a
// worker what it wrote and what the step did.
func TestWhatMovedIsRead(t *testing.T) {
	const files = 20
	dir, own := t.TempDir(), t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range files {
		put(string(rune('a'+i)), "text")
	}
	time.Sleep(100 * time.Millisecond)
	once, err := scanOf(t.Context(), dir, nil)
	again, bad := scanOf(t.Context(), dir, once)
	if err = errors.Join(err, bad); err != nil {
		t.Fatal(err)
	}
	if scan.Reads(again) > files {
		t.Skip("nothing is believed of the stamps of this file system")
	}
	blobs := &checkpoint.Memory{}
	kept, err := cache.Open(t.TempDir(), DefaultCache, blobs)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	l := &lane{dir: own, kept: kept, store: checkpoint.NewStore(kept)}
	x := &Executor{Blobs: blobs, As: &shell.Executor{}}
	work := exec.Work{RunID: "r", Dir: dir, Step: &plan.Step{}, Task: &plan.Task{}}
	var owner, theirs int64
	for i := range 3 {
		put("a", string(rune('a'+i)))
		time.Sleep(100 * time.Millisecond)
		before, err := scanOf(t.Context(), dir, x.seen("r"))
		if err != nil {
			t.Fatal(err)
		}
		_, job, err := x.job(t.Context(), work, before, false)
		if err != nil {
			t.Fatal(err)
		}
		last, err := l.place(t.Context(), job.Base)
		time.Sleep(100 * time.Millisecond) // as long as the step takes: what is younger is read again in any case
		made, bad := scanOf(t.Context(), own, last)
		if err = errors.Join(err, bad); err != nil {
			t.Fatal(err)
		}
		if l.holds = made; made.Digest() != before.Digest() || len(ledger.Touched(before, made)) > 0 {
			t.Fatalf("the worker has %v", ledger.Touched(before, made))
		}
		owner, theirs = scan.Reads(before), scan.Reads(made)
	}
	if want := int64(files + 2); owner != want || theirs != want {
		t.Errorf("in three steps the owner has read %d files, and the worker %d: want %d", owner, theirs, want)
	}
}
