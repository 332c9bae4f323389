package tasklist_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/tasklist"
)

// BenchmarkRead reads and checks lists of 1,000 and 10,000 items; the time per
// item stays the same.
func BenchmarkRead(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "- [ ] T%05d [P] [US1] Write src/%d.go (depends on T%05d)\n", i+1, i, i)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				d, err := tasklist.Read("tasks.md", []byte(text.String()))
				if err != nil {
					b.Fatal(err)
				}
				d.Check(plan.CheckOptions{})
			}
		})
	}
}
