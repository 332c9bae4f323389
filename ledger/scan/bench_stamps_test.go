package scan

import (
	"fmt"
	"testing"
)

// BenchmarkRevive is the reading of what another process left: 10,000 files in
// folders of 100.
func BenchmarkRevive(b *testing.B) {
	dir := b.TempDir()
	for i := range 10_000 {
		write(b, dir, fmt.Sprintf("src/package%02d/file%02d.go", i/100, i%100), "text")
	}
	var s Scanner
	tree, err := s.Scan(b.Context(), dir, nil)
	if err != nil {
		b.Fatal(err)
	}
	stamps := string(spelled(b, tree, dir, life))
	if stamps == "" {
		b.Skip("no stamps are kept on this system, or on this file system")
	}
	b.SetBytes(int64(len(stamps)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.revive(dir, life, stamps); err != nil {
			b.Fatal(err)
		}
	}
}
