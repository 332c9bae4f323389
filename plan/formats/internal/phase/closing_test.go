package phase_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/phase"
)

// required spells what has to hold at the end of each step, then of the whole.
func required(d *plan.Draft) string {
	var b strings.Builder
	for _, s := range d.Plan.Steps() {
		for _, c := range s.Postconditions {
			b.WriteString(string(s.Address) + " " + c.String() + "\n")
		}
	}
	for _, c := range d.Plan.Completion.Checks {
		b.WriteString("end " + c.String() + "\n")
	}
	for _, text := range d.Plan.Completion.AcceptanceCriteria {
		b.WriteString("end " + text + "\n")
	}
	for _, f := range d.Found {
		if f.Severity != plan.Note && f.Code != "task-no-acceptance" {
			b.WriteString("! " + f.Code + "\n")
		}
	}
	return b.String()
}

const lamps = `---
phase: 04-lamps
plan: "NN"
must_haves:
  truths:
    - "The hall is bright"
    - note: with a colon in it
  artifacts:
    - path: "src/lamps.go"
      provides: "Lamps"
      exports: ["Shine"]
      min_lines: 3
    - path: "icon.png"
      size: 3
  key_links:
    - from: "src/hall.go"
      to: "src/lamps.go"
      pattern: "Lamps\\(.*Shine"
    - from: "The hall"
      to: "src/lamps.go"
      pattern: "x"
---
<tasks>
<task type="auto">
<name>Task 1: Lamps</name>
<files>src/lamps.go, src/hall.go</files>
<verify>go vet ./...</verify>
</task>
<task type="auto">
<name>Task 2: Hall</name>
<files>src/hall.go</files>
<done>It shines</done>
</task>
<task type="checkpoint:human-verify" gate="blocking">
<what-built>The hall</what-built>
</task>
</tasks>

<verification>
- [ ] go test ./... passes
- [ ] The hall is warm
</verification>

<success_criteria>
- Nobody stumbles
</success_criteria>
`

// What must hold when a plan is over is decided at the end of its own tasks, so
// that who did the work hears of it, and not of those of another plan.
func TestMustHavesAreOfTheirPlan(t *testing.T) {
	const want = `1.1 command run="go vet ./..."
1.1 file_contains path="src/lamps.go" matches="(?:^|[^\\w$])Shine(?:[^\\w$]|$)"
1.1 file_contains path="src/lamps.go" matches="(?s)\\A(?:[^\\n]*\\n){2}[^\\n]"
2.1 file_exists path="icon.png"
2.1 file_contains path="src/hall.go" matches="(?s)Lamps\\(.*Shine"
2.1 command run="go test ./..."
end file_contains path="src/lamps.go" matches="(?:^|[^\\w$])Shine(?:[^\\w$]|$)"
end file_contains path="src/lamps.go" matches="(?s)\\A(?:[^\\n]*\\n){2}[^\\n]"
end file_contains path="src/hall.go" matches="(?s)Lamps\\(.*Shine"
end The hall is bright
end note: with a colon in it
end Nobody stumbles
! key-without-effect
! must-have-undecided
`
	d := read(t, "04-01-PLAN.md", strings.Replace(lamps, "NN", "01", 1))
	if diff := cmp.Diff(want, required(d)); diff != "" {
		t.Errorf("one plan (-want +got):\n%s", diff)
	}
	d, err := phase.ReadSet([]plan.Text{
		{Path: "04-01-PLAN.md", Text: []byte(strings.Replace(lamps, "NN", "01", 1))},
		{Path: "04-02-PLAN.md", Text: []byte("---\nphase: 04-lamps\nplan: 02\n---\n## Task 1: After\n**Acceptance:** x\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(required(d), "02-") {
		t.Errorf("the second plan has to do with it:\n%s", required(d))
	}
	for _, line := range []string{"01-1.1 command", "01-2.1 file_exists", "01-2.1 command", "! key-without-effect"} {
		if !strings.Contains(required(d), line) {
			t.Errorf("no %q in\n%s", line, required(d))
		}
	}
}

// What is said in a form that nothing acts on is told, and what is said in words
// is left to reviewers.
func TestNothingIsDroppedSilently(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"---\nphase: 1\nplan: 1\nretries: 3\nuser_setup: x\n---\n## Task 1: A\n**Verify:** wc -l a returns 5\n", "! key-without-effect\n! verify-not-run\n"},
		{"<task type=\"auto\" prio=\"1\">\n<name>A</name>\n<done>x</done>\n</task>\n", "! key-without-effect\n"},
		{"---\nphase: 1\nplan: 1\nmust_haves:\n  truths: [a]\n  truth: [b]\n  key_links:\n    - from: a.go\n      to: b.go\n    - from: a.go\n      pattern: \"(\"\n  artifacts:\n    - path: \"*.go\"\n    - path: a.md\n      min_lines: 2000\n---\n## Task 1: A\n**Acceptance:** x\n",
			"1.1 file_exists path=\"a.md\"\nend a\n! key-without-effect\n! must-have-undecided\n! must-have-undecided\n! must-have-undecided\n! must-have-undecided\n"},
		// labels that are not bold, on lines that follow each other
		{"## Task 1: A\nFiles: a.txt\nAction: Write it.\nVerify: `grep -q a a.txt`\nAcceptance Criteria:\n- `test -s a.txt`\n- `wc -l a.txt` returns 1\n", "1.1 command run=\"grep -q a a.txt\"\n1.1 command run=\"test -s a.txt\"\n! verify-not-run\n"},
		{"## Task 1: A\nAcceptance Criteria:\n- a\nVerification: npm test\n\nThen:\n```sh\nrm -r a\n```\n", "1.1 command run=\"npm test\"\n"},
		{"## Task 1: A\n**Acceptance:**\n- `wc -l a.txt` returns 1\n", "! verify-not-run\n"},
		{"## Task 1: A\n- **Verify:** `npm test`\n- `npm run deploy`\n", "1.1 command run=\"npm test\"\n"},
		{"## Task 1: A\n**Acceptance:**\n- `go vet ./...` passes\n- npm test\n- it is nice\n", "1.1 command run=\"go vet ./...\"\n1.1 command run=\"npm test\"\n"},
		{"## Tasks\n  - id: A1\n    title: A\n    verify:\n      - npm test passes\n      - it is nice\n    acceptance: [a]\n\n## Success Criteria\n\n- [ ] All is bright\n", "A1.1 command run=\"npm test\"\nend All is bright\n"},
		{"<task type=\"auto\">\n<name>A</name>\n<automated>npm test</automated>\n<action>Create `src/a.ts` with a hook.</action>\n</task>\n",
			"1.1 command run=\"npm test\"\n1.1 file_exists path=\"src/a.ts\" (derived from the text)\n"},
	} {
		if diff := cmp.Diff(c.want, required(read(t, "x-PLAN.md", c.text))); diff != "" {
			t.Errorf("%s(-want +got):\n%s", c.text, diff)
		}
	}
	d := read(t, "x-PLAN.md", "<task type=\"auto\">\n<name>A</name>\n<verify>\n  npm test\n  The page is bright\n</verify>\n</task>\n")
	if got := d.Plan.Tasks[0].Steps[0].ExpectedOutput; got != "The page is bright" {
		t.Errorf("what reviewers are told: %q", got)
	}
}
