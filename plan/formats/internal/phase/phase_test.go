package phase_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/phase"
)

// show spells what was read: each task with its line, then what was found.
func show(d *plan.Draft) string {
	var b strings.Builder
	for i, t := range d.Plan.Tasks {
		fmt.Fprintf(&b, "%s@%d %q", t.ID, d.Position(fmt.Sprintf("tasks[%d]", i)).Line, t.Title)
		if t.Kind != "" {
			fmt.Fprintf(&b, " type=%s", t.Kind)
		}
		if t.Files != nil {
			fmt.Fprintf(&b, " files=%s", strings.Join(t.Files, ","))
		}
		if t.DependsOn != nil {
			fmt.Fprintf(&b, " after=%s", strings.Join(t.DependsOn, ","))
		}
		if t.AcceptanceCriteria != nil {
			fmt.Fprintf(&b, " criteria=%d", len(t.AcceptanceCriteria))
		}
		if t.Status != plan.Open {
			fmt.Fprintf(&b, " %s", t.Status)
		}
		for _, c := range t.Steps[0].Postconditions {
			fmt.Fprintf(&b, " $(%s)", c.Run)
		}
		b.WriteString("\n")
	}
	for _, f := range d.Found {
		fmt.Fprintf(&b, "%d:%d %s %s %s\n", f.Pos.Line, f.Pos.Column, f.Severity, f.Code, f.Task)
	}
	return b.String()
}

func read(t *testing.T, name, text string) *plan.Draft {
	t.Helper()
	d, err := phase.Read(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDialects(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"tags", `---
phase: 04-lamps
plan: 01
---
<tasks>
<task type="auto" tdd="true">
  <name>Task 1: Count the lamps</name>
  <files>
    data/lamps.csv
    data/old.csv (DELETE)
  </files>
  <action>Walk.
  <name>no title</name></action>
  <verify><automated>go test ./lamps</automated></verify>
  <done>All counted</done>
</task>
<task type="checkpoint:human-verify" gate="blocking">
  <what-built>The count</what-built>
  <files></files>
</task>
</tasks>
`, `1@6 "Task 1: Count the lamps" type=auto files=data/lamps.csv,data/old.csv $(go test ./lamps)
2@17 "" type=checkpoint:human-verify files=
`},
		{"dependencies below a label", "### T1-01: first\ndepends_on:\n  - T1-00\n  - the tables, the views and the keys\n\n### T1-00: zero\ndepends_on:\n- none\n",
			`T1-01@1 "first" after=T1-00
T1-00@6 "zero" after=
1:1 warning task-no-acceptance 
2:1 note task-dep-prose T1-01
`},
		{"dependencies in YAML", "  - id: T1-01\n    depends_on:\n      - T1-00\n      - the tables, the views and the keys\n    acceptance:\n      What is seen:\n        - a\n        - b\n      What is not:\n        - c\n  - id: T1-00\n    acceptance:\n      - one: two\n",
			`T1-01@1 "" after=T1-00 criteria=3
T1-00@11 "" criteria=1
2:5 note task-dep-prose T1-01
`},
		{"criteria below headings", "### Task 1: One\n**Acceptance criteria for the API:**\n\nAll of these:\n\n- a\n- b\n\n#### Acceptance of the page\n\n- c\n\n### Task 2: Two\n#### Acceptance\n\nIt works when:\n1. x\n2. y\n",
			`1@1 "One" criteria=3
2@13 "Two" criteria=2
`},
		{"tags heed no fences", "<task id=\"A\">\n<title>One</title>\n```\n<task>\n<title>Inner</title>\n</task>\n```\n" +
			"<acceptance_criteria>\n<criterion>a</criterion>\n<criterion>b</criterion>\n</acceptance_criteria>\n</task>\nA line with <task type=\"auto\"> in it\n````\n<task id=\"B\" depends_on=\"A\">\n<title>Two</title>\n<done>x</done>\n</task>\n",
			"A@1 \"One\" criteria=2\nB@15 \"Two\" after=A\n"},
		{"tags around Markdown", `<task id="P1-3.1" priority="critical">
### Task 1: Track

**Depends On:** None
**Acceptance Criteria:**
- [ ] a
  - below a
- [ ] b
</task>
<task id="P1-3.2">
### Task 2: Use
**Depends On:** P1-3.1
**Verify By:** looking
</task>
`, "P1-3.1@1 \"Task 1: Track\" after= criteria=2\nP1-3.2@10 \"Task 2: Use\" after=P1-3.1\n"},
		{"headings", "# Plan\n\n## Task 1\n\n**Files:** `a.go`, `b.go` (lines 1, 2)\n\n```\n## Task 9: fenced\n```\n\n### Task 2 Completion Gate\n\n## Task 2: Use `it`\n**Files to modify:**\n- `c.go` - change\n\n**Depends on:** Task 1\n**Acceptance:** it works\n",
			"1@3 \"\" files=a.go,b.go\n2@13 \"Use `it`\" files=c.go after=1 criteria=1\n3:1 warning task-no-acceptance 1\n"},
		{"codes", "### WP1-T1: One\n**Acceptance:**\nFirst a sentence.\n- a\n- b\n\nThen the real list:\n\n1. c\n2. d\n3. e\n\n### T2-01: Two\nfiles: [\"x.csv\"]\ndepends_on: [\"WP1-T1\"]\nacceptance:\n- f\n",
			"WP1-T1@1 \"One\" criteria=3\nT2-01@13 \"Two\" files=x.csv after=WP1-T1 criteria=1\n"},
		{"labelled bullets", "### Task T1-001: Draw\n\n- **Description:** List\n- **Acceptance Criteria:** \n  - [ ] a\n  - [ ] b\n- **Estimate:** 1h\n- **Depends On:** none\n- **Files Involved:**\n  - `data/seats.json`\n",
			"T1-001@1 \"Draw\" files=data/seats.json after= criteria=2\n"},
		{"list", "## Tasks\n\ntasks:\n  - id: T3-01\n    title: \"Print: all\"\n    depends_on: none\n    files: []\n    acceptance:\n      - a\n  - id: T3-02\n    title: Sort: it\n    depends_on: [T3-01]\n    acceptance: b\n\n- [ ] no task\n",
			"T3-01@4 \"Print: all\" files= after= criteria=1\nT3-02@10 \"Sort: it\" after=T3-01 criteria=1\n11:5 warning task-parse-error \n"},
		{"entries without an id", "tasks:\n  - title: A\n    id: T3-01\n    acceptance: x\n    estimate: soon\n  - title: B\n    acceptance: x\n\n  - id:\n  - id: T3-02\n    acceptance: x\n\n- Note: none\n",
			"T3-01@2 \"A\" criteria=1\nT3-02@10 \"\" criteria=1\n5:5 warning key-without-effect T3-01\n6:3 warning key-without-effect \n9:3 warning key-without-effect \n"},
		{"prose", "# Plan\n\nWe will see.\n", "1:1 error no-tasks \n"},
		{"a list in a code block", "# Plan\n\n```yaml\ntasks:\n  - id: T3-01\n    title: A\n```\n", "5:3 error no-tasks \n"},
		{"a task that is not closed", "<task id=\"A\">\n<done>x</done>\n", "A@1 \"\"\n1:1 warning task-not-closed \n"},
		{"codes without a colon", "### T2-01 One\n**Acceptance:** x\n### T2-02 - Two\n**Acceptance:** x\n### T2-03\n**Acceptance:** x\n### T2 is the coldest\n",
			"T2-01@1 \"One\" criteria=1\nT2-02@3 \"Two\" criteria=1\nT2-03@5 \"\" criteria=1\n"},
		{"front matter that breaks off", "---\nphase: 4\nplan: 01\nwave: [\ndepends_on: []\n---\n## Task 1: A\n**Acceptance:** x\n",
			"1@7 \"A\" criteria=1\n4:1 warning front-matter-parse-error \n"},
		{"front matter that does not end", "---\nphase: 4\nplan: 01\n## Task 1: A\n**Acceptance:** x\n",
			"1@4 \"A\" criteria=1\n1:1 warning front-matter-parse-error \n"},
		{"what comes before, without bold face", "## T1-01: A\nDependencies: none of ours\n**Acceptance:** x\n## T1-02: B\n- Dependencies: T1-01\n**Acceptance:** x\n" +
			"## T1-03: C\nBlocked by: T1-01, T1-02\n**Acceptance:** x\n## T1-04: D\nDependencies: express, zod\n**Acceptance:** x\n",
			"T1-01@1 \"A\" criteria=1\nT1-02@4 \"B\" after=T1-01 criteria=1\nT1-03@7 \"C\" after=T1-01,T1-02 criteria=1\nT1-04@10 \"D\" criteria=1\n"},
		{"faults", "## Task 1: A\n**Depends on:** Task 3\n**Acceptance:** x\n## Task 2: B\n**Depends on:** 7\n**Acceptance:** x\n## Task 2: C\n**Acceptance:** x\n## Task 3: D\n**Depends on:** Task 1, all of phase 2\n**Acceptance:** x\n",
			"1@1 \"A\" after=3 criteria=1\n2@4 \"B\" after=7 criteria=1\n2@7 \"C\" criteria=1\n3@9 \"D\" after=1 criteria=1\n" +
				"2:1 error task-cycle 1\n5:1 error task-dep-unknown 2\n7:1 error task-duplicate-id 2\n10:1 note task-dep-prose 3\n"},
		{"what cannot be read", "## T4-01: A\n- id: T4-01\n- estimate: twenty\n- acceptance: x\n\n  - id: T4-05\n    title: B\n",
			"T4-01@1 \"A\" criteria=1\n3:1 warning key-without-effect T4-01\n6:3 warning key-without-effect \n"},
		{"tags in a list", "- id: T4-01\n  title: A\n  <verify><automated>test -s a</automated></verify>\n  acceptance: x\n",
			"T4-01@1 \"A\" criteria=1 $(test -s a)\n"},
		{"misspelt labels", "### T4-01: A\nVerfiy: `true`\n**Depend on:** T4-02\n<acceptence>x</acceptence>\n```\nVerfiy: x\n```\n### T4-02: B\nNotify: him\nTests: x\nVerify: look\n#### Acceptence criteria\n- a\n",
			"T4-01@1 \"A\"\nT4-02@8 \"B\"\n1:1 warning task-no-acceptance T4-01\n2:1 warning label-misspelt T4-01\n3:1 warning label-misspelt T4-01\n4:1 warning label-misspelt T4-01\n12:1 warning label-misspelt T4-02\n"},
		{"misspelt keys", "- id: T4-01\n  verfiy: x\n  depend_on: T4-02\n  acceptance: x\n",
			"T4-01@1 \"\" criteria=1\n2:3 warning label-misspelt T4-01\n3:3 warning label-misspelt T4-01\n"},
		{"estimates in tags", "<task>\n<name>A</name>\n<done>x</done>\n<estimate>20 min</estimate>\n</task>\n<task>\n<name>B</name>\n<done>x</done>\n<estimate>later</estimate>\n</task>\n",
			"1@1 \"A\"\n2@6 \"B\"\n9:1 warning key-without-effect 2\n"},
		{"headings as labels", "## Task 1: A\n### Files\n- `app/(auth)/x.tsx` (new)\n- app/(auth)/y.tsx\n#### Acceptance Criteria:\n- a\n- b\n**Depends on**\nnone\n### Notes\n- c\n",
			"1@1 \"A\" files=app/(auth)/x.tsx,app/(auth)/y.tsx after= criteria=2\n"},
		{"status and marks", "## ✅ Task 1: A\n**Acceptance:** x\n## Task 2: B\n**Status:** in progress\n**Acceptance:** x\n", "1@1 \"A\" criteria=1 done\n2@3 \"B\" criteria=1 in-progress\n"},
		{"waves of tasks", "<task id=\"a\" wave=\"1\">\n<title>A</title>\n<done>x</done>\n</task>\n<task id=\"b\" wave=\"1\" depends_on=\"a\">\n<title>B</title>\n<done>x</done>\n</task>\n",
			"a@1 \"A\"\nb@5 \"B\" after=a\n5:1 warning wave-not-after-dependency b\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, end := range []string{"\n", "\r\n"} {
				text := "\ufeff" + strings.ReplaceAll(c.text, "\n", end)
				if diff := cmp.Diff(c.want, show(read(t, "01-PLAN.md", text))); diff != "" {
					t.Errorf("line end %q (-want +got):\n%s", end, diff)
				}
				if phase.Detect("01-PLAN.md", []byte(text)) != phase.Format {
					t.Error("not detected")
				}
			}
		})
	}
}

func TestFrontMatterStaysText(t *testing.T) {
	d := read(t, "x-PLAN.md", "---\nphase: 08\nplan: 012\nautonomous: yes\nmust_haves:\n  truths:\n    - it shines\n  artifacts:\n    - path: a/b.go\n      contains: Shine\n    - path: ~/home.md\n---\n## Task 1: A\n**Acceptance:** x\n")
	got := map[string]string{}
	for _, s := range d.Plan.Settings {
		got[s.Key] = s.Value.Text
	}
	want := map[string]string{"phase_plan.phase": "08", "phase_plan.plan": "012", "phase_plan.autonomous": "yes", "phase_plan.must_haves.truths": "", "phase_plan.must_haves.artifacts": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"it shines"}, d.Plan.Completion.AcceptanceCriteria); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]plan.Check{{Kind: "file_contains", Path: "a/b.go", Text: "Shine"}},
		d.Plan.Completion.Checks); diff != "" {
		t.Error(diff)
	}
}

func TestInvalidFrontMatterIsReadByLines(t *testing.T) {
	d := read(t, "x-PLAN.md", "---\nphase: 04-skills\nplan: 01\ndepends_on: [\"04-02\", '03']\nfiles_modified:\n  - a.go\nmust_haves:\n  truths:\n    - \"one\"\n  key_links:\n    - from: \"x.go\"\n      pattern: \"\\.x\"\n---\n## Task 1: A\n**Acceptance:** x\n")
	if len(d.Found) != 1 || d.Found[0].Code != "front-matter-parse-error" || d.Found[0].Severity != plan.Warning ||
		d.Found[0].Pos.Line != 12 {
		t.Errorf("found %v", d.Found)
	}
	var keys []string
	for _, s := range d.Plan.Settings {
		keys = append(keys, fmt.Sprintf("%s=%s/%d", s.Key, s.Value.Text, len(s.Value.List)))
	}
	want := []string{"phase_plan.depends_on=/2", "phase_plan.files_modified=/1", "phase_plan.must_haves.key_links=/1", "phase_plan.must_haves.truths=/1", "phase_plan.phase=04-skills/0", "phase_plan.plan=01/0"}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Error(diff)
	}
	if len(d.Plan.Tasks) != 1 {
		t.Errorf("%d tasks", len(d.Plan.Tasks))
	}
}

func TestCheckpointsAsk(t *testing.T) {
	for _, kind := range []string{"human-verify", "decision", "human-action"} {
		d := read(t, "x-PLAN.md", "<task type=\"checkpoint:"+kind+"\" gate=\"blocking\">\n<what-built>The hall</what-built>\n<resume-signal>approved</resume-signal>\n</task>\n")
		s := d.Plan.Tasks[0].Steps[0]
		if d.Plan.Tasks[0].Kind != "checkpoint:"+kind || s.Mode != plan.Collaborative || s.OnFailure != plan.Ask ||
			!strings.Contains(s.Prompt, "approved") || s.Description != "The hall" {
			t.Errorf("%s: %+v", kind, s)
		}
	}
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"notes.md", "# Notes\n\n- [ ] buy milk\n", false},
		{"06-PLAN.md", "# Prose\n", true},
		{"planning.md", "# Prose\n", false},
		{"a.md", "---\nphase: 1\nplan: 2\n---\n", true},
		{"a.md", "```\n## Task 1: quoted\n```\n", false},
		{"a.md", "<task>\n</task>\n", true},
		{"a.md", "", false},
	} {
		if got := phase.Detect(c.name, []byte(c.text)) == phase.Format; got != c.want {
			t.Errorf("Detect(%q, %q) = %v", c.name, c.text, got)
		}
	}
}
