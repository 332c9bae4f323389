package ledger

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// grove is a folder with 5,000 files of about 2 KiB, in 250 folders.
func grove(b *testing.B) string {
	b.Helper()
	root := b.TempDir()
	r := rand.New(rand.NewPCG(1, 1))
	content := make([]byte, 4096)
	for i := range 5000 {
		folder := filepath.Join(root, fmt.Sprintf("p%d/q%d", i%25, i/25%10))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			b.Fatal(err)
		}
		for k := range 8 {
			content[r.IntN(len(content))] = byte(i + k)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%d.go", i)), content[:r.IntN(len(content))], 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return root
}

func BenchmarkScanCold(b *testing.B) {
	root := grove(b)
	b.ReportAllocs()
	for b.Loop() {
		scan(b, root, nil)
	}
}

func BenchmarkScanWarm(b *testing.B) {
	root := grove(b)
	prior := scan(b, root, nil)
	age(prior)
	b.ReportAllocs()
	for b.Loop() {
		scan(b, root, prior)
	}
}

func BenchmarkTreeDigest(b *testing.B) {
	entries := slicesOf(scan(b, grove(b), nil))
	b.ReportAllocs()
	for b.Loop() {
		grow(entries)
	}
}

func BenchmarkDiff(b *testing.B) {
	t := scan(b, grove(b), nil)
	entries := slicesOf(t)
	for i := range entries {
		if i%500 == 0 {
			entries[i].Mode ^= 0o111
		}
	}
	other := tree(b, entries...)
	b.ReportAllocs()
	for b.Loop() {
		Diff(t, other)
	}
}

func BenchmarkReconcile(b *testing.B) {
	var changes []Change
	var d Declared
	for i := range 100 {
		path := fmt.Sprintf("server/f%d.go", i)
		changes = append(changes, modified(path))
		d.Modify = append(d.Modify, path)
	}
	b.ReportAllocs()
	for b.Loop() {
		Reconcile(d, changes, nil)
	}
}

func BenchmarkLines(b *testing.B) {
	r := rand.New(rand.NewPCG(2, 2))
	var before, after []byte
	for i := range 10_000 {
		line := fmt.Sprintf("line %d\n", i)
		before = append(before, line...)
		if r.IntN(50) == 0 {
			line = "changed " + line
		}
		after = append(after, line...)
	}
	b.ReportAllocs()
	for b.Loop() {
		CountLines(before, after)
	}
}

func BenchmarkSymbols(b *testing.B) {
	content, err := os.ReadFile("git.go")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := GoSymbols("git.go", content); err != nil {
			b.Fatal(err)
		}
	}
}
