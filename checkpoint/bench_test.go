package checkpoint_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

var benchFact = record.Fact{Type: "step.done", Step: "12.3", Attempt: 1,
	Data: json.RawMessage(`"` + strings.Repeat("x", 380) + `"`)}

func benchJournal(b *testing.B) *checkpoint.Journal {
	log, err := filelog.Open(b.Context(), filepath.Join(b.TempDir(), "journal"))
	must(b, err)
	j, err := checkpoint.OpenJournal(b.Context(), log, "run", nil, nil)
	must(b, err)
	b.Cleanup(func() { j.Close() })
	return j
}

// Four records in one durable batch, signed and not.
func BenchmarkJournalAppend(b *testing.B) {
	for name, sign := range map[string]bool{"unsigned": false, "signed": true} {
		b.Run(name, func(b *testing.B) {
			j := benchJournal(b)
			if sign {
				must(b, j.SignWith(signingKey, func(record.Fact) bool { return true }))
			}
			b.ReportAllocs()
			for b.Loop() {
				_, err := j.Append(b.Context(), benchFact, benchFact, benchFact, benchFact)
				must(b, err)
			}
		})
	}
}

func BenchmarkJournalVerify(b *testing.B) {
	var log checkpoint.MemoryLog
	j, err := checkpoint.OpenJournal(b.Context(), &log, "run", nil, nil)
	must(b, err)
	const records = 10_000
	for range records / 100 {
		batch := make([]record.Fact, 100)
		for i := range batch {
			batch[i] = benchFact
		}
		_, err := j.Append(b.Context(), batch...)
		must(b, err)
	}
	b.ReportAllocs()
	for b.Loop() {
		_, err := checkpoint.OpenJournal(b.Context(), &log, "run", nil, nil)
		must(b, err)
	}
	b.ReportMetric(float64(b.N)*records/b.Elapsed().Seconds(), "records/s")
}

// benchTree makes 2000 files of 4 KiB in 100 folders.
func benchTree(b *testing.B) string {
	dir := b.TempDir()
	for i := range 2000 {
		folder := filepath.Join(dir, fmt.Sprint(i%100))
		must(b, os.MkdirAll(folder, 0o755), os.WriteFile(fmt.Sprintf("%s/%d", folder, i),
			[]byte(strings.Repeat(fmt.Sprint(i, " "), 800)), 0o644))
	}
	return dir
}

func BenchmarkSnapshot(b *testing.B) {
	dir := benchTree(b)
	tree := scanned(b, dir, ledger.Scope{})
	b.Run("cold", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			blobs, err := folder.Open(b.Context(), b.TempDir())
			must(b, err)
			_, err = checkpoint.NewStore(blobs).Snapshot(b.Context(), dir, tree, record.Snapshot{})
			must(b, err, blobs.Close())
		}
	})
	blobs, err := folder.Open(b.Context(), b.TempDir())
	must(b, err)
	defer blobs.Close()
	store := checkpoint.NewStore(blobs)
	base, err := store.Snapshot(b.Context(), dir, tree, record.Snapshot{})
	must(b, err)
	b.Run("unchanged", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := store.Snapshot(b.Context(), dir, tree, base)
			must(b, err)
		}
	})
	b.Run("10 changed", func(b *testing.B) {
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			b.StopTimer()
			for i := range 10 {
				n++
				must(b, os.WriteFile(fmt.Sprintf("%s/%d/%d", dir, i, i), []byte(fmt.Sprint(n)), 0o644))
			}
			changed := scanned(b, dir, ledger.Scope{})
			b.StartTimer()
			base, err = store.Snapshot(b.Context(), dir, changed, base)
			must(b, err)
		}
	})
}

// Restores 1000 files that changed.
func BenchmarkRestore(b *testing.B) {
	dir := benchTree(b)
	before := scanned(b, dir, ledger.Scope{})
	blobs, err := folder.Open(b.Context(), b.TempDir())
	must(b, err)
	defer blobs.Close()
	store := checkpoint.NewStore(blobs)
	_, err = store.Snapshot(b.Context(), dir, before, record.Snapshot{})
	must(b, err)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		for i := range 1000 {
			must(b, os.WriteFile(fmt.Sprintf("%s/%d/%d", dir, i%100, i), []byte("changed"), 0o644))
		}
		after := scanned(b, dir, ledger.Scope{})
		b.StartTimer()
		must(b, store.Restore(b.Context(), dir, before, after))
	}
}

// BenchmarkRecognize is the first thing that a run does with the tree that
// another process left.
func BenchmarkRecognize(b *testing.B) {
	dir := b.TempDir()
	for i := range 10_000 {
		name := filepath.Join(dir, fmt.Sprintf("src/package%02d/file%02d.go", i/100, i%100))
		must(b, os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte("text"), 0o644))
	}
	scanner := scan.Scanner{}
	tree, err := scanner.Scan(b.Context(), dir, nil)
	must(b, err)
	blobs, err := folder.Open(b.Context(), b.TempDir())
	must(b, err)
	b.Cleanup(func() { blobs.Close() })
	s := checkpoint.NewStore(blobs)
	snap, err := s.Snapshot(b.Context(), dir, tree, record.Snapshot{})
	must(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if size, err := s.Recognize(b.Context(), snap, tree); err != nil || size == 0 {
			b.Fatal(size, err)
		}
	}
}
