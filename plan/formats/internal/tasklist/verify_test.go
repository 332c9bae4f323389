package tasklist_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/tasklist"
)

// judged spells what a machine decides of a list, what is left to people, and what
// is warned of.
func judged(d *plan.Draft) string {
	var b strings.Builder
	for _, t := range d.Plan.Tasks {
		for _, text := range t.AcceptanceCriteria {
			fmt.Fprintf(&b, "%s is done when %s\n", t.ID, text)
		}
		for _, s := range t.Steps {
			for _, c := range s.Postconditions {
				fmt.Fprintf(&b, "%s %s\n", s.Address, c)
			}
			if s.ExpectedOutput != "" {
				fmt.Fprintf(&b, "%s leaves %s\n", s.Address, s.ExpectedOutput)
			}
		}
	}
	for _, f := range d.Found {
		fmt.Fprintf(&b, "%d %s %s\n", f.Pos.Line, f.Code, f.Task)
	}
	return b.String()
}

// What stands below an item about how it is verified is decided as in phase plans,
// in every list.
func TestVerify(t *testing.T) {
	for _, c := range []struct {
		format           plan.Format
		name, text, want string
	}{
		{"spec-kit", "a command in backquotes", "- [ ] T001 a\n\n  Verify: `grep -q alpha notes/a.txt`\n", "T001.1 command run=\"grep -q alpha notes/a.txt\"\n"},
		{"spec-kit", "several words", "- [ ] T001 a\n  Verify: `go test ./...`\n- [ ] T002 b\n  Verify: go vet ./... passes\n", "T001.1 command run=\"go test ./...\"\nT002.1 command run=\"go vet ./...\"\n"},
		{"spec-kit", "an item, and not the next one", "- [ ] T001 a\n  - Verify: `npm test`\n  - `npm run deploy`\n", "T001.1 command run=\"npm test\"\n"},
		{"spec-kit", "criteria", "- [ ] T001 a\n  Acceptance criteria:\n  - `test -s notes/e.txt`\n  - `go vet ./...`\n  - it reads well\n  - `wc -l notes/e.txt` returns 1\n",
			"T001 is done when `test -s notes/e.txt`\nT001 is done when `go vet ./...`\nT001 is done when it reads well\nT001 is done when `wc -l notes/e.txt` returns 1\n" +
				"T001.1 command run=\"test -s notes/e.txt\"\nT001.1 command run=\"go vet ./...\"\n2 verify-not-run T001\n"},
		{"spec-kit", "a block, and not the next one", "- [ ] T001 a\n  Verify:\n  ```sh\n  npm test\n  ```\n\n  Then:\n\n  ```sh\n  npm run deploy\n  ```\n", "T001.1 command run=\"npm test\"\n"},
		{"spec-kit", "what is to be printed", "- [ ] T001 a\n  Verify: `wc -l a` returns 5\n  Run `npm run deploy`\n", "T001 is done when `wc -l a` returns 5\n2 verify-not-run T001\n"},
		{"spec-kit", "how it is to end", "- [ ] T001 a\n  Verify: `npm test`\n  Expected: FAIL\n", "T001 is done when Expected: FAIL\n2 verify-not-run T001\n"},
		{"spec-kit", "a sentence", "- [ ] T001 a\n  This is to verify: `npm test`\n", ""},
		{"kiro", "an item of a task", "- [ ] 1. a\n  - Verify: `grep -q a a.txt`\n  - _Requirements: 1.1_\n", "1.1 command run=\"grep -q a a.txt\"\n"},
		{"kiro", "items of a step", "- [ ] 1. a\n  - [ ] 1.1 b\n    - Verify: `npm test`\n    - _Requirements: 1.1_\n  - [ ] 1.2 c\n    - Acceptance Criteria:\n      - `npm run lint`\n      - it is nice\n      - `ls -l a` shows one\n    - `npm run deploy`\n",
			"1.1 command run=\"npm test\"\n1.2 command run=\"npm run lint\"\n1.2 leaves it is nice\n`ls -l a` shows one\n6 verify-not-run 1\n"},
		{"openspec", "a line", "## 1. a\n- [ ] 1.1 b\n  Verify: `go vet ./...`\n", "1.1 command run=\"go vet ./...\"\n"},
		{"superpowers", "a block in a step", "### Task 1: a\n\n- [ ] **Step 1: b**\n\nVerify:\n\n```bash\ngrep -q a a.txt\n```\n\n- [ ] **Step 2: c**\n\n**Verify:**\nRun: `npm test`\nExpected: FAIL\n",
			"1.1 command run=\"grep -q a a.txt\"\n1.2 leaves Expected: FAIL\n13 verify-not-run 1\n"},
		{"superpowers", "one command twice", "### Task 1: a\n- [ ] **Step 1: b**\n**Verify:**\nRun: `npm test`\nExpected: PASS\n", "1.1 command run=\"npm test\"\n1.1 leaves Expected: PASS\n"},
		{"execplan", "a line", "# L\n## Purpose\nx\n## Progress\n- [ ] a\n  Verify: `go vet ./...`\n## Decision Log\n## Outcomes\n", "1.1 command run=\"go vet ./...\"\n"},
		{"task-master", "members and labels", `{"tasks":[{"id":1,"title":"a","status":"pending","details":"x\nVerify: npm test","testStrategy":"go vet ./... passes","subtasks":[{"id":1,"title":"s","acceptanceCriteria":"- npm run lint\n- nice","testStrategy":"wc -l a returns 5"}]}]}`,
			"1.1 command run=\"npm run lint\"\n1.1 command run=\"go vet ./...\"\n1.1 command run=\"npm test\"\n1.1 leaves nice\nwc -l a returns 5\n1 verify-not-run 1\n"},
		{"beads", "labels", `{"id":"b","title":"a","status":"open","issue_type":"task","description":"x\n\nVerify:\n` + "```sh\\nnpm test\\n```" + `","acceptance_criteria":"- npm run lint"}`,
			"b is done when npm run lint\nb.1 command run=\"npm test\"\nb.1 command run=\"npm run lint\"\n"},
	} {
		t.Run(string(c.format)+"/"+c.name, func(t *testing.T) {
			name := map[plan.Format]string{"task-master": "tasks.json", "beads": "issues.jsonl"}[c.format]
			if name == "" {
				name = "tasks.md"
			}
			d, err := tasklist.Read(name, []byte(c.text))
			if err != nil || d.Format != c.format {
				t.Fatal(d.Format, err)
			}
			for i := range d.Plan.Tasks { // implied steps spell the criteria once more
				if s := d.Plan.Tasks[i].Steps; d.Implied(i) {
					s[0].ExpectedOutput = ""
				}
			}
			if diff := cmp.Diff(c.want, judged(d)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A code block below an item is part of what it says, with its blank lines; one
// that is not indented is none, nor is a comment.
func TestCodeBelowItems(t *testing.T) {
	const block = "  Verify:\n  ```sh\n  npm test\n\n  ```\n"
	for format, list := range map[plan.Format]string{
		"spec-kit": "- [ ] T001 a\n%s- [ ] T002 b\n",
		"kiro":     "- [ ] 1. a\n%s- [ ] 2. b\n  - _Requirements: 1_\n",
		"openspec": "## 1. g\n- [ ] 1.1 a\n%s- [ ] 1.2 b\n",
		"execplan": "# L\n## Purpose\nx\n## Progress\n- [ ] a\n%s- [ ] b\n## Decision Log\n## Outcomes\n",
	} {
		d, err := tasklist.Read("tasks.md", []byte(fmt.Sprintf(list, block+"<!-- c -->\n```\nx\n```\n")))
		if err != nil || d.Format != format {
			t.Fatal(d.Format, err)
		}
		s := d.Plan.Tasks[0].Steps[0]
		if want := "a\n\n" + strings.TrimRight(block, "\n"); s.Prompt != want {
			t.Errorf("%s: the prompt is %q, and not %q", format, s.Prompt, want)
		}
	}
}

// What stands between the heading of a group and its first item is the context of
// all its steps, code included; how a group is verified is decided at its end.
func TestTextOfGroups(t *testing.T) {
	const text = "The limiter counts per client.\n- see `limit.go`\n\n```go\ntype Limiter struct{}\n```\n"
	for format, list := range map[plan.Format]string{
		"openspec": "# Tasks\nintro\n## 1. Limits\n<!-- c -->\n%sVerify: `go vet ./...`\n- [ ] 1.1 a\n  more of a\n## Notes\nnot of a task\n",
		"kiro":     "# Tasks\nintro\n## 1. Limits\n%sVerify: `go vet ./...`\n- [ ] 1.1 a\n  more of a\n  - _Requirements: 1_\n## Notes\nnot of a task\n",
	} {
		d, err := tasklist.Read("tasks.md", []byte(fmt.Sprintf(list, text)))
		if err != nil || d.Format != format || len(d.Plan.Tasks) != 1 {
			t.Fatal(d.Format, err)
		}
		task := d.Plan.Tasks[0]
		if want := strings.ReplaceAll(text, "\n\n", "\n") + "Verify: `go vet ./...`"; task.Description != want {
			t.Errorf("%s: the task says %q, and not %q", format, task.Description, want)
		}
		s := task.Steps[0]
		if !strings.HasPrefix(s.Prompt, "a\n\n  more of a") || len(s.Postconditions) != 1 || s.Postconditions[0].Run != "go vet ./..." {
			t.Errorf("%s: %q, %v", format, s.Prompt, s.Postconditions)
		}
	}
}

// A prompt does not tell twice when a task is done.
func TestCriteriaAreToldOnce(t *testing.T) {
	d, err := tasklist.Read("tasks.md", []byte("- [ ] T001 a\n  Acceptance criteria:\n  - it shines\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Plan.Tasks[0].Steps[0].Prompt; strings.Count(got, "it shines") != 1 {
		t.Errorf("the prompt is %q", got)
	}
}
