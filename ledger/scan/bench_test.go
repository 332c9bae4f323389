package scan

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
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%d.go", i)), content[:r.IntN(len(content))],
			0o644); err != nil {
			b.Fatal(err)
		}
	}
	return root
}

func BenchmarkScanCold(b *testing.B) {
	root := grove(b)
	b.ReportAllocs()
	for b.Loop() {
		scanned(b, root, nil)
	}
}

func BenchmarkScanWarm(b *testing.B) {
	root := grove(b)
	prior := scanned(b, root, nil)
	age(prior)
	b.ReportAllocs()
	for b.Loop() {
		scanned(b, root, prior)
	}
}
