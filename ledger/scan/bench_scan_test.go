package scan

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/ledger"
)

// The benchmarks of scanning measure both sides of a ratio in turn, in one run,
// and report the ratio of the medians as "×walk" (bare walk: raw listing and a
// status of each entry, with two threads) or "×read" (read and hash, with two
// threads). A machine that is busy slows both.
//
//	go test ./ledger -run '^$' -bench 'Scan/'
//	PLANLOCK_BENCH=large go test ./ledger -run '^$' -bench 'Scan/large'

// A wood is a generated tree: a number of files with a mean size, about twelve
// to a folder.
type wood struct {
	name  string
	files int
	mean  int
}

var woods = []wood{{"12k", 11_000, 4 << 10}, {"20k", 20_000, 15 << 10}, {"large", 100_000, 10 << 10}}

// plant makes the tree. The sizes are spread as those of sources are: most are
// small.
func (w wood) plant(b *testing.B) string {
	b.Helper()
	root := b.TempDir()
	r := rand.New(rand.NewPCG(1, 1))
	content := make([]byte, 16*w.mean)
	for i := range content {
		content[i] = byte(r.Uint32())
	}
	for i := range w.files {
		k := i / 12
		folder := filepath.Join(root, fmt.Sprintf("package%d/sub%d/d%d", k%40, k/40%9, k/360))
		if i%12 == 0 {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		size := min(int(r.ExpFloat64()*float64(w.mean)), len(content)-1)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("file%d.go", i)),
			content[r.IntN(len(content)-size):][:size], 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return root
}

// against measures run in turn with other, and reports how many times as long
// it takes.
func against(b *testing.B, unit string, other, prepare, run func()) {
	b.Helper()
	var theirs, ours []time.Duration
	took := func(do func()) time.Duration {
		start := time.Now()
		do()
		return time.Since(start)
	}
	other()
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		b.StopTimer()
		theirs = append(theirs, took(other))
		if prepare != nil {
			prepare()
		}
		b.StartTimer()
		ours = append(ours, took(run))
	}
	median := func(all []time.Duration) float64 {
		slices.Sort(all)
		return float64(all[len(all)/2])
	}
	b.ReportMetric(median(ours)/1e6, "ms")
	b.ReportMetric(median(theirs)/1e6, "other-ms")
	b.ReportMetric(median(ours)/median(theirs), unit)
}

func BenchmarkScan(b *testing.B) {
	for _, w := range woods {
		b.Run(w.name, func(b *testing.B) {
			if w.name == "large" && os.Getenv("PLANLOCK_BENCH") != "large" {
				b.Skip("set PLANLOCK_BENCH=large")
			}
			root := w.plant(b)
			for i, walk := 0, bareWalk(b, root); i < 3; i++ {
				walk()
			}
			benchScan(b, root)
		})
	}
}

func benchScan(b *testing.B, root string) {
	prior := scanned(b, root, nil)
	age(prior)
	walk := bareWalk(b, root)
	rows := []struct {
		name  string
		unit  string
		other func()
		ready func()
		run   func()
	}{
		{"walkdir", "×walk", walk, nil, func() { walkDir(b, root) }},
		{"unchanged", "×walk", walk, nil, func() { prior = scanned(b, root, prior); age(prior) }},
		{"unchanged-portable", "×walk", walk, nil, func() { scanWith(b, Scanner{open: openRooted}, root, prior) }},
		{"every-folder-listed", "×walk", walk, nil,
			func() { scanWith(b, Scanner{Scope: ledger.Scope{Own: []string{"x"}}}, root, prior) }},
		{"10-changed", "×walk", walk, func() { touchTen(b, root, prior) }, func() {
			after := scanned(b, root, prior)
			if n := len(ledger.Diff(prior, after)); n != 10 {
				b.Fatalf("%d changes", n)
			}
			prior = after
			age(prior)
		}},
		{"first", "×read", func() { readAll(b, root) }, nil, func() { scanned(b, root, nil) }},
	}
	for _, row := range rows {
		b.Run(row.name, func(b *testing.B) { against(b, row.unit, row.other, row.ready, row.run) })
	}
}

func walkDir(b *testing.B, root string) {
	err := filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		if err == nil {
			_, err = d.Info()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

var tenth int

// touchTen changes ten files all over the tree, and keeps their sizes.
func touchTen(b *testing.B, root string, tree *ledger.Tree) {
	i, step := 0, tree.Len()/10
	changed := 0
	tenth++
	for e := range tree.All() {
		if i++; i < changed*step+tenth%step/2 || changed == 10 || e.Kind != ledger.File || e.Size < 8 {
			continue
		}
		f, err := os.OpenFile(filepath.Join(root, e.Path), os.O_WRONLY, 0)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := fmt.Fprintf(f, "%08d", tenth%1e8); err != nil {
			b.Fatal(err)
		}
		f.Close()
		changed++
	}
}

// readAll reads and hashes all files with two threads, and keeps nothing.
func readAll(b *testing.B, root string) {
	paths := make(chan []string, 64)
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			h := sha256.New()
			buf := make([]byte, 128<<10)
			for batch := range paths {
				for _, path := range batch {
					f, err := os.Open(path)
					if err != nil {
						b.Error(err)
						return
					}
					h.Reset()
					if _, err := io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{f}, buf); err != nil {
						b.Error(err)
					}
					h.Sum(buf[:0])
					f.Close()
				}
			}
		})
	}
	var batch []string
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if batch = append(batch, path); len(batch) == 64 {
				paths <- batch
				batch = nil
			}
		}
		return err
	})
	paths <- batch
	close(paths)
	readers.Wait()
}
