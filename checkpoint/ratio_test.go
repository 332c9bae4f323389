package checkpoint_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

// ratio runs ours and theirs in turns, each time after before, and reports the
// medians and how many times theirs ours takes.
func ratio(b *testing.B, before, ours, theirs func(n int)) {
	var us, them []time.Duration
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		before(n)
		b.StartTimer()
		start := time.Now()
		ours(n)
		us = append(us, time.Since(start))
		b.StopTimer()
		start = time.Now()
		theirs(n)
		them = append(them, time.Since(start))
		b.StartTimer()
	}
	slices.Sort(us)
	slices.Sort(them)
	a, c := us[len(us)/2], them[len(them)/2]
	b.ReportMetric(float64(a.Microseconds()), "µs/ours")
	b.ReportMetric(float64(c.Microseconds()), "µs/theirs")
	b.ReportMetric(float64(a)/float64(c), "ratio")
}

func nothing(int) {}

// wide makes n files of up to 8 KiB in folders of 50.
func wide(b *testing.B, n int) string {
	dir := b.TempDir()
	for i := range n {
		folder := filepath.Join(dir, fmt.Sprint(i/1000), fmt.Sprint(i/50))
		must(b, os.MkdirAll(folder, 0o755), os.WriteFile(fmt.Sprintf("%s/%d", folder, i),
			[]byte(strings.Repeat(fmt.Sprint(i, " "), 1+i*7919%1600)), 0o644))
	}
	return dir
}

// hashAll reads and hashes all files with two threads.
func hashAll(b *testing.B, dir string) {
	var paths []string
	must(b, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			paths = append(paths, path)
		}
		return err
	}))
	var wait sync.WaitGroup
	for i := range 2 {
		wait.Go(func() {
			h, buf := sha256.New(), make([]byte, 128<<10)
			for _, p := range paths[i*len(paths)/2 : (i+1)*len(paths)/2] {
				f, err := os.Open(p)
				if err != nil {
					continue
				}
				h.Reset()
				_, _ = io.CopyBuffer(h, struct{ io.Reader }{f}, buf)
				h.Sum(nil)
				f.Close()
			}
		})
	}
	wait.Wait()
}

// The first snapshot of a tree, scan included, against reading and hashing it.
func BenchmarkFirstSnapshot(b *testing.B) {
	dir := wide(b, 10_000)
	ratio(b, nothing, func(int) {
		objects, err := os.MkdirTemp(b.TempDir(), "")
		must(b, err)
		blobs, err := folder.Open(b.Context(), objects)
		must(b, err)
		_, err = checkpoint.NewStore(blobs).Snapshot(b.Context(), dir, scanned(b, dir, ledger.Scope{}),
			record.Snapshot{})
		must(b, err, blobs.Close())
	}, func(int) { hashAll(b, dir) })
}

// A checkpoint of a few changed files, durable, without the scan, against
// adding them to a repository of git (which scans).
func BenchmarkChanged(b *testing.B) {
	for _, changed := range []int{10, 1000} {
		b.Run(fmt.Sprint(changed), func(b *testing.B) {
			dir := wide(b, 10_000)
			git := repository(b, dir)
			store := openStoreIn(b, b.TempDir())
			tree := scanned(b, dir, ledger.Scope{Ignore: []string{".git"}})
			snap, err := store.Snapshot(b.Context(), dir, tree, record.Snapshot{})
			must(b, err)
			ratio(b, func(n int) {
				for i := range changed {
					must(b, os.WriteFile(file(dir, i*7), fmt.Appendf(nil, "changed %d %d", n, i), 0o644))
				}
			}, func(n int) {
				tree, err = (&scan.Scanner{Scope: ledger.Scope{Ignore: []string{".git"}}}).Scan(b.Context(), dir, tree)
				must(b, err)
				snap, err = store.Snapshot(b.Context(), dir, tree, snap)
				must(b, err)
			}, func(int) { git("add", "-A"); git("write-tree") })
		})
	}
}

// Restoring 1000 files, against git restore.
func BenchmarkRestoreAgainstGit(b *testing.B) {
	dir := wide(b, 10_000)
	git := repository(b, dir)
	scope := ledger.Scope{Ignore: []string{".git"}}
	store := openStoreIn(b, b.TempDir())
	want := scanned(b, dir, scope)
	_, err := store.Snapshot(b.Context(), dir, want, record.Snapshot{})
	must(b, err)
	spoil := func() *ledger.Tree {
		b.StopTimer()
		for i := range 1000 {
			must(b, os.WriteFile(file(dir, i*7), []byte("changed"), 0o644))
		}
		have, err := (&scan.Scanner{Scope: scope}).Scan(b.Context(), dir, want)
		must(b, err)
		b.StartTimer()
		return have
	}
	var us, them []time.Duration
	for b.Loop() {
		have := spoil()
		start := time.Now()
		must(b, store.Restore(b.Context(), dir, want, have))
		us = append(us, time.Since(start))
		b.StopTimer()
		spoil()
		b.StopTimer()
		start = time.Now()
		git("restore", ".")
		them = append(them, time.Since(start))
		b.StartTimer()
	}
	slices.Sort(us)
	slices.Sort(them)
	b.ReportMetric(float64(us[len(us)/2].Microseconds()), "µs/ours")
	b.ReportMetric(float64(them[len(them)/2].Microseconds()), "µs/theirs")
	b.ReportMetric(float64(us[len(us)/2])/float64(them[len(them)/2]), "ratio")
}

func file(dir string, i int) string { return fmt.Sprintf("%s/%d/%d/%d", dir, i/1000, i/50, i) }

// repository makes a repository of dir, with all that is in it, and returns
// git.
func repository(b *testing.B, dir string) func(args ...string) {
	if _, err := exec.LookPath("git"); err != nil {
		b.Skip(err)
	}
	git := func(args ...string) {
		c := exec.Command("git", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := c.CombinedOutput(); err != nil {
			b.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", "-A")
	git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "all")
	return git
}

// Four durable records of 512 bytes, against appending the same bytes to a
// growing file and syncing it.
func BenchmarkFourRecords(b *testing.B) {
	j := benchJournal(b)
	f, err := os.Create(filepath.Join(b.TempDir(), "raw"))
	must(b, err)
	defer f.Close()
	raw := make([]byte, 4*512)
	fact := record.Fact{Type: "step.done", Step: "12.3", Attempt: 1,
		Data: json.RawMessage(`"` + strings.Repeat("x", 380) + `"`)}
	ratio(b, nothing, func(int) {
		_, err := j.Append(b.Context(), fact, fact, fact, fact)
		must(b, err)
	}, func(int) {
		_, err := f.Write(raw)
		must(b, err, f.Sync())
	})
}

// A small snapshot that the journal carries, with the batch that does, against
// one that is synced, with its batch.
func BenchmarkInline(b *testing.B) {
	side := func(b *testing.B, inline bool) func(n int) {
		dir := b.TempDir()
		store, j := openStoreIn(b, b.TempDir()), benchJournal(b)
		var snap record.Snapshot
		return func(n int) {
			for i := range 3 {
				must(b, os.WriteFile(fmt.Sprintf("%s/%d", dir, i), []byte(strings.Repeat(fmt.Sprint(n, i, " "), 500)),
					0o644))
			}
			tree := scanned(b, dir, ledger.Scope{})
			var in record.Inline
			var err error
			if inline {
				snap, in, err = store.SnapshotInline(b.Context(), dir, tree, snap)
			} else {
				snap, err = store.Snapshot(b.Context(), dir, tree, snap)
			}
			must(b, err)
			data, err := json.Marshal(map[string]any{"inline": in})
			must(b, err)
			_, err = j.Append(b.Context(), record.Fact{Type: "ledger", Data: data}, benchFact, benchFact)
			must(b, err)
			store.Settle()
		}
	}
	ratio(b, nothing, side(b, true), side(b, false))
}
