package formats_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats"
	"github.com/planlock/planlock/plan/report"
)

// A count is of all that was found, however much of it is told one by one.
func TestCountsAreNotCut(t *testing.T) {
	const n = 1300
	list := strings.Builder{}
	phase := strings.Builder{}
	for i := range n {
		fmt.Fprintf(&list, "- [ ] T%04d Count (depends on T9%05d)\n", i, i)
		fmt.Fprintf(&phase, "## Task %d: A\n**Depends on:** X%d\n**Acceptance:** x\n", i+1, i+1)
	}
	pair := strings.Builder{}
	pair.WriteString("# S\n\n## Goal\nCount\n\n")
	for i := range n {
		fmt.Fprintf(&pair, "### Task [%d]: T\n", i+1)
	}
	for _, c := range []struct {
		name, text, code string
		severity         plan.Severity
	}{
		{"tasks.md", list.String(), "task-dep-unknown", plan.Warning},
		{"01-01-PLAN.md", phase.String(), "task-dep-unknown", plan.Error},
		{"spec_x.md", pair.String(), "task-no-steps", plan.Error},
	} {
		draft, err := formats.ReadBytes(c.name, []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		found := draft.Check(plan.CheckOptions{})
		told := 0
		for _, d := range found {
			if d.Code == c.code {
				told += 1 + d.More
			}
		}
		errors, warnings, _ := plan.Tally(found)
		counts := report.Of(draft, found, plan.CheckOptions{}).Counts
		if counts.Errors != errors || counts.Warnings != warnings {
			t.Errorf("%s: the document counts %+v, and Tally %d and %d", c.name, counts, errors, warnings)
		}
		all := map[plan.Severity]int{plan.Error: errors, plan.Warning: warnings}[c.severity]
		if told != n || all < n || len(found) > 1200 {
			t.Errorf("%s: %d of %d %s are counted, %d of severity %s, %d are told", c.name, told, n, c.code, all, c.severity, len(found))
		}
	}
}
