package phase_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/phase"
)

func member(name, head string, tasks ...string) plan.Text {
	text := "---\nphase: 04-lamps\n" + head + "---\n"
	for i, id := range tasks {
		text += fmt.Sprintf("## Task %s: T%d\n**Acceptance:** x\n", id, i)
	}
	return plan.Text{Path: "04-lamps/" + name, Text: []byte(text)}
}

func TestReadSet(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []plan.Text
		want  string
	}{
		{"one graph", []plan.Text{
			member("04-02-PLAN.md", "plan: 02\nwave: 2\ndepends_on: [\"04-01\"]\n", "1", "2"),
			member("04-01-PLAN.md", "plan: 01\nwave: 1\ndepends_on: []\n", "1"),
			member("04-03-PLAN.md", "plan: 03\nwave: 2\ndepends_on: [1, 02-PLAN, 03-07, Phase 2]\n", "T1-01"),
		}, `01 after [] has 01-1
02 after [01] has 02-1,02-2
03 after [01 02] has T1-01
stages [[01] [02] [03]]
04-lamps/04-03-PLAN.md:4 warning wave-not-after-dependency
`},
		{"waves that differ, plans that are not there, names from files", []plan.Text{
			member("01-PLAN.md", "wave: 3\n", "1"),
			member("02-PLAN.md", "depends_on: [9]\n", "1"),
		}, `01 after [] has 01-1
02 after [] has 02-1
stages [[01 02]]
04-lamps/01-PLAN.md:3 note wave-differs
04-lamps/02-PLAN.md:3 warning plan-dep-unknown
`},
		{"cycle", []plan.Text{
			member("01-PLAN.md", "plan: 01\ndepends_on: [2]\n", "1"),
			member("02-PLAN.md", "plan: 02\ndepends_on: [1]\n", "1"),
		}, `01 after [02] has 01-1
02 after [01] has 02-1
stages []
04-lamps/01-PLAN.md:4 error speclet-cycle
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := phase.ReadSet(c.files)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, s := range d.Plan.Speclets {
				fmt.Fprintf(&b, "%s after %v has %s\n", s.ID, s.DependsOn, strings.Join(s.Tasks, ","))
			}
			fmt.Fprintln(&b, "stages", d.Plan.Graph().Stages)
			for _, f := range d.Found {
				fmt.Fprintf(&b, "%s:%d %s %s\n", f.Pos.File, f.Pos.Line, f.Severity, f.Code)
				if f.Hint == "" {
					t.Errorf("%s has no hint", f.Code)
				}
			}
			if diff := cmp.Diff(c.want, b.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func ExampleReadSet() {
	draft, err := phase.ReadSet([]plan.Text{
		{Path: "04-01-PLAN.md", Text: []byte("---\nphase: 04\nplan: 01\nwave: 1\n---\n## Task 1: Count the lamps\n**Acceptance:** all are counted\n")},
		{Path: "04-02-PLAN.md", Text: []byte("---\nphase: 04\nplan: 02\nwave: 1\ndepends_on: [\"04-01\"]\n---\n## Task 1: Replace the broken ones\n**Acceptance:** all shine\n")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(draft.Plan.Graph().Stages)
	for _, d := range draft.Found {
		fmt.Println(d)
		fmt.Println(d.Hint)
	}
	// Output:
	// [[01] [02]]
	// 04-02-PLAN.md:4:1: warning: plan "02" is in wave 1 and depends on plan "01", which is in wave 1: it waits all the same [wave-not-after-dependency]
	// write  wave: 2,  or take the dependency out
}
