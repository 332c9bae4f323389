package delivery_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/planlock/planlock/checkpoint/delivery"
	"github.com/planlock/planlock/ledger"
)

// BenchmarkDeliver delivers changes of n files there and back, each durably;
// internal/limits sets that against git.
func BenchmarkDeliver(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var dirs [2]string
			for i := range dirs {
				dirs[i] = b.TempDir()
				for k := range n {
					at := filepath.Join(dirs[i], fmt.Sprintf("p%d/s%d/f%d", k%40, k%400, k))
					must(b, os.MkdirAll(filepath.Dir(at), 0o755),
						os.WriteFile(at, fmt.Appendf(make([]byte, 1000+k*7919%8000), "%d", i), 0o644))
				}
			}
			old, now := scanned(b, dirs[0]), scanned(b, dirs[1])
			changes := [2][]ledger.Change{ledger.Diff(old, now), ledger.Diff(now, old)}
			dir := copied(b, dirs[0])
			place, err := delivery.Open(b.Context(), dir)
			must(b, err)
			defer place.Close()
			for i := 0; b.Loop(); i++ {
				d, err := place.Stage(b.Context(), fmt.Sprint("d", i), changes[i%2], from(dirs[1-i%2]))
				must(b, err)
				conflicts, err := d.Finish(b.Context())
				must(b, err)
				if len(conflicts) > 0 {
					b.Fatal(conflicts)
				}
			}
		})
	}
}
