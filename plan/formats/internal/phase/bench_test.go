package phase_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/phase"
)

// BenchmarkRead reads and checks plans of 1,000 and 10,000 tasks; the time per
// task stays the same.
func BenchmarkRead(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "<task type=\"auto\">\n  <name>Task %d: Count</name>\n  <files>a/%d.go, b.go</files>\n  <action>Walk.</action>\n  <done>Counted</done>\n</task>\n", i+1, i)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				d, err := phase.Read("x-PLAN.md", []byte(text.String()))
				if err != nil {
					b.Fatal(err)
				}
				d.Check(plan.CheckOptions{})
			}
		})
	}
}
