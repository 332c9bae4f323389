package native

import (
	"fmt"
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
)

// largePlan has so many complete steps, ten to a task.
func largePlan(steps int) string {
	var b strings.Builder
	b.WriteString("schema = 1\nnon_goals = [{ id = 1, text = \"auth\", paths = [\"auth/**\"] }]\n[goal]\ndescription = \"many steps\"\n[[requirements]]\nid = \"R\"\ntext = \"all\"\n" +
		"[defaults]\nexecutor = \"shell\"\nrollback = \"reversible\"\non_failure = \"block\"\nlimits = { max_files = 2, max_lines = 100 }\n")
	for i := range steps {
		if i%10 == 0 {
			fmt.Fprintf(&b, "\n[[tasks]]\nid = %d\ndescription = \"task %d\"\ndepends_on = [%s]\n", i/10, i/10,
				map[bool]string{true: fmt.Sprint(i/10 - 1)}[i > 0])
		}
		fmt.Fprintf(&b, `
  [[tasks.steps]]
  id = %d
  description = "step %d of a large plan"
  run = "cp fixtures/%d.txt out/%d.txt"
  requirements = ["R"]
  semantic_change = "extending"
  postconditions = [{ kind = "file_exists", path = "out/%d.txt" }]
  artifacts = { create = ["out/%d.txt"] }
`, i%10, i, i, i, i, i)
	}
	return b.String()
}

func TestLargePlanIsComplete(t *testing.T) {
	if found := mustRead(t, largePlan(1000)).Check(plan.CheckOptions{}); len(found) > 0 {
		t.Error(found[0])
	}
}

func benchmark(b *testing.B, run func(b *testing.B, text []byte, d *plan.Draft)) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			text := []byte(largePlan(n))
			d, err := Read("plan.toml", text)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.ResetTimer()
			run(b, text, d)
		})
	}
}

func BenchmarkRead(b *testing.B) {
	benchmark(b, func(b *testing.B, text []byte, _ *plan.Draft) {
		for b.Loop() {
			if _, err := Read("plan.toml", text); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	benchmark(b, func(b *testing.B, _ []byte, d *plan.Draft) {
		for b.Loop() {
			if found := d.Check(plan.CheckOptions{}); len(found) > 0 {
				b.Fatal(found[0])
			}
		}
	})
}

func BenchmarkDigest(b *testing.B) {
	benchmark(b, func(b *testing.B, _ []byte, d *plan.Draft) {
		for b.Loop() {
			d.Plan.Digest()
		}
	})
}
