package formats_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats"
)

const scopedPlan = `---
phase: 04-lamps
plan: 01
files_modified: [hall.txt, "docs/"]
---
<task type="auto">
<name>Lamps</name>
<files>src/lamps.txt, ./src/new/*.txt, gone.txt</files>
<done>x</done>
</task>
<task type="auto">
<name>Hall</name>
<done>x</done>
</task>
<output>
Create ` + "`.planning/04-01-SUMMARY.md`" + `, and the tag ` + "`v 1`" + `
</output>
`

// What a plan names for a step is what the step may change, and nothing else has
// to be declared.
func TestScoped(t *testing.T) {
	lamps, hall := exectest.Write("src/lamps.txt", "x\n"), exectest.Write("hall.txt", "x\n")
	for name, c := range map[string]struct {
		first, second exec.Func
		stray         string // what is refused; "": nothing
	}{
		"the summary that is asked for": {lamps, exectest.All(hall, exectest.Write(".planning/04-01-SUMMARY.md", "x\n")), ""},
		"a summary too early":           {exectest.All(lamps, exectest.Write(".planning/04-01-SUMMARY.md", "y\n")), hall, ".planning/04-01-SUMMARY.md"},
		"what is named":                 {lamps, hall, ""},
		"not all of it":                 {exectest.Write("gone.txt", "x\n"), hall, ""},
		"a glob":                        {exectest.Write("src/new/a.txt", "x\n"), hall, ""},
		"a folder":                      {lamps, exectest.Write("docs/deep/a.md", "x\n"), ""},
		"a file beside":                 {exectest.All(lamps, exectest.Write("src/other.txt", "x\n")), hall, "src/other.txt"},
		"a file of another task":        {exectest.All(lamps, hall), hall, "hall.txt"},
		"a file that the plan does not": {lamps, exectest.All(hall, exectest.Write("src/lamps.txt", "y\n")), "src/lamps.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := formats.ReadBytes("04-01-PLAN.md", []byte(scopedPlan))
			if err != nil {
				t.Fatal(err)
			}
			if d.Plan.Profile != plan.Scoped {
				t.Fatalf("the profile is %s", d.Plan.Profile)
			}
			run := observe(t, d, exectest.Script{"1.1": c.first, "2.1": c.second})
			if c.stray == "" {
				run.Want(t, history.Partial) // nobody looks at it
				return
			}
			run.Want(t, history.Partial)
			said := run.Report.String()
			if !strings.Contains(said, c.stray) || run.Read(t, c.stray) == "y\n" {
				t.Errorf("%s was not refused by name:\n%s", c.stray, said)
			}
		})
	}
}

// Who carries a step out is told what it is held to.
func TestScopedIsTold(t *testing.T) {
	d, err := formats.ReadBytes("04-01-PLAN.md", []byte(scopedPlan))
	if err != nil {
		t.Fatal(err)
	}
	told := map[string][]string{}
	tell := func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		told[string(w.Step.Address)] = w.Within
		return exec.Outcome{}, nil
	}
	observe(t, d, exectest.Script{"1.1": tell, "2.1": tell})
	if got := told["1.1"]; !slices.Contains(got, "src/lamps.txt") || slices.Contains(got, "hall.txt") {
		t.Errorf("1.1 was told %q", got)
	}
	if got := told["2.1"]; !slices.Contains(got, "hall.txt") || !slices.Contains(got, "docs/") {
		t.Errorf("2.1 was told %q", got)
	}
}

// A format that names files has the profile scoped, and one that does not
// observe.
func TestProfileOfFormats(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       plan.Profile
		within     []string
	}{
		{"1-PLAN.md", "## Task 1: A\n**Files:** `a.go`\n**Acceptance:** x\n", plan.Scoped, []string{"a.go"}},
		{"1-PLAN.md", "## Task 1: A\n**Acceptance:** x\n", plan.Observe, nil},
		{"1-PLAN.md", "<task type=\"auto\">\n<name>A</name>\n<files></files>\n<done>x</done>\n</task>\n", plan.Observe, []string{}},
		{"1-PLAN.md", "<task type=\"auto\">\n<name>A</name>\n<files>a.go</files>\n<verify>`b.go` exists</verify>\n</task>\n", plan.Scoped, []string{"a.go", "b.go"}},
		{"x.md", "# P\n\n### Task 1: A\n\n**Files:**\n- Create: `a.go`\n- Test: `a_test.go`\n\n- [ ] **Step 1: Do**\n", plan.Scoped, []string{"a.go", "a_test.go"}},
		{"p.json", `[{"task_id": 1, "priority": "HIGH", "action": "A", "acceptance_criteria": ["x"], "expected_artifacts": ["a.json"], "evidence_paths": ["e.json"]}]`, plan.Scoped, []string{"a.json", "e.json"}},
		{"p.json", `[{"task_id": 1, "priority": "HIGH", "action": "A", "acceptance_criteria": ["x"], "evidence_paths": ["e.json"]}]`, plan.Observe, nil},
		{"tasks.md", "- [ ] T001 [P] Add it in src/a.py\n", plan.Observe, []string{"src/a.py"}},
	} {
		d, err := formats.ReadBytes(c.name, []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		within := d.Plan.Tasks[0].Within(&d.Plan.Tasks[0].Steps[0])
		if d.Plan.Profile != c.want || !slices.Equal(within, c.within) || (within == nil) != (c.within == nil) {
			t.Errorf("%s\nprofile %s, within %q, want %s, %q", c.text, d.Plan.Profile, within, c.want, c.within)
		}
	}
}
