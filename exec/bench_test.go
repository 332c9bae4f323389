package exec_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/plan"
)

// emptySteps is a plan of n steps that change nothing.
func emptySteps(n int) string {
	var b strings.Builder
	b.WriteString(`schema = 1
non_goals = []
invariants = []
requirements = [{ id = "R1", text = "nothing" }]
goal = { description = "Do nothing, many times" }
[defaults]
executor = "script"
requirements = ["R1"]
rollback = "reversible"
on_failure = "block"
semantic_change = "preserving"
artifacts = {}
postconditions = [{ kind = "file_exists", path = "0.txt" }]
[[tasks]]
id = 1
description = "Nothing"
`)
	for i := range n {
		fmt.Fprintf(&b, "[[tasks.steps]]\nid = %d\ndescription = \"nothing\"\nrun = \"true\"\n", i+1)
	}
	return b.String()
}

// BenchmarkEmptyStep measures a durable step that changes nothing, in a folder
// of 100 files, for runs of several lengths: a step costs the same in all.
func BenchmarkEmptyStep(b *testing.B) {
	files := exectest.Files{}
	for i := range 100 {
		files[fmt.Sprintf("%d.txt", i)] = "text\n"
	}
	for _, steps := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("of%d", steps), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				b.StopTimer()
				script := exectest.Script{}
				for i := range steps {
					script[plan.Address(fmt.Sprintf("1.%d", i+1))] = exectest.Nothing()
				}
				bench := exectest.New(b, emptySteps(steps), files, script)
				locked := bench.Lock(b)
				b.StartTimer()
				report, err := bench.Controller.Run(context.Background(), locked)
				if carried(report, err) != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*steps), "ns/step")
		})
	}
}
