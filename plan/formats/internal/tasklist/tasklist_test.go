package tasklist_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/tasklist"
)

// show spells what was read: tasks and steps with their lines, then settings
// and what was found.
func show(d *plan.Draft) string {
	var b strings.Builder
	for i, t := range d.Plan.Tasks {
		fmt.Fprintf(&b, "%s@%d %q %s", t.ID, d.Position(fmt.Sprintf("tasks[%d]", i)).Line, t.Title, t.Status)
		if len(t.DependsOn) > 0 {
			fmt.Fprintf(&b, " after=%s", strings.Join(t.DependsOn, ","))
		}
		if t.Files != nil {
			fmt.Fprintf(&b, " files=%s", strings.Join(t.Files, ","))
		}
		if t.Wave != "" {
			fmt.Fprintf(&b, " wave=%s", t.Wave)
		}
		b.WriteString("\n")
		if d.Implied(i) {
			continue
		}
		for j, s := range t.Steps {
			fmt.Fprintf(&b, "  %s@%d %q %s", s.Address, d.Position(fmt.Sprintf("tasks[%d].steps[%d]", i, j)).Line,
				s.Description, s.Status)
			if !s.IsCritical() {
				b.WriteString(" optional")
			}
			b.WriteString("\n")
		}
	}
	for _, s := range d.Plan.Settings {
		var ids []string
		for _, v := range s.Value.List {
			ids = append(ids, v.Text)
		}
		fmt.Fprintf(&b, "%s: %s\n", s.Key, strings.Join(ids, " "))
	}
	for _, f := range d.Found {
		fmt.Fprintf(&b, "%d:%d %s %s %s\n", f.Pos.Line, f.Pos.Column, f.Severity, f.Code, f.Task)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		format           plan.Format
		name, text, want string
	}{
		{"spec-kit", "marks", "# Tasks: Lamps\n<!--\n- [ ] T000 sample\n-->\n## Phase 1: Setup\n- [X] T001 Make the project\n- [ ] T002 [P] [US1] Count in src/a.py (depends on T001, T003-T004)\n  - [ ] a note\n- [ ] T003 Write\n- [ ] T004.1 Read\n- [ ] T004.1 Read again\n- [ ] tidy up\n```\n- [ ] T009 fenced\n```\n",
			`T001@6 "Make the project" done
T002@7 "Count in src/a.py (depends on T001, T003-T004)" open after=T001,T003,T004 files=src/a.py wave=T002
T003@9 "Write" open
T004.1@10 "Read" open
T004.1@11 "Read again" open
item-12@12 "tidy up" open
task_list.parallel: T002
task_list.phases."Phase 1: Setup": T001 T002 T003 T004.1 T004.1
task_list.stories.US1: T002
7:1 warning task-dep-unknown T002
8:3 warning item-irregular 
11:1 error task-duplicate-id T004.1
12:1 warning item-irregular 
`},
		{"spec-kit", "tasks that were put in between", "# Tasks\n- [ ] T030 a\n- [ ] T030.1 b (depends on T030)\n- [ ] T030.2 c\n- [ ] T030.3 d (depends on T030.1-T030.2, T030.9)\n",
			`T030@2 "a" open
T030.1@3 "b (depends on T030)" open after=T030
T030.2@4 "c" open
T030.3@5 "d (depends on T030.1-T030.2, T030.9)" open after=T030.1,T030.2,T030.9
5:1 warning task-dep-unknown T030.3
`},
		{"superpowers", "steps that are nested", "# Plan\n\n### Task 1: Count\n\n**Files:**\n- Create: `a.go`\n1. **Step 1: Walk**\n   - [ ] **Step 1.1: Look**\n     - [x] **Step 1.2: Note**\n2. **Step 2: End**\n\n## 2. Task 2: Order\n\n1. First\n   - [ ] **Step 1: Mail**\n",
			`1@3 "Count" in-progress files=a.go
  1.1@7 "Walk" open
  1.1-1@8 "Look" open
  1.1-2@9 "Note" done
  1.2@10 "End" open
2@12 "Order" open
  2.1@15 "Mail" open
`},
		{"superpowers", "tasks that are items", "# Plan\n\n1. **Task 1: Count**\n   - [ ] **Step 1: Walk**\n     - [ ] **Step 2: Note**\n2. **Task 2: Order**\n   - [x] **Step 1: Mail**\n",
			`1@3 "Count" open
  1.1@4 "Walk" open
  1.2@5 "Note" open
2@6 "Order" done
  2.1@7 "Mail" done
`},
		{"kiro", "states and stars", "# Implementation Plan: Lamps\n\n- [x] 1. Count\n  - all rows\n  - _Requirements: 1.1_\n- [ ]* 1.1 Test the count\n- [-] 2. Replace\n  - [ ] 2.1 (P) Order\n    - [ ] by mail\n- [ ] 3.1 Alone\n",
			`1@3 "Count" done
  1.1@6 "Test the count" open optional
2@7 "Replace" in-progress
  2.1@8 "Order" open
3.1@10 "Alone" open
task_list.optional: 1.1
task_list.parallel: 2.1
9:5 warning item-irregular 
`},
		{"kiro", "numbered headings", "## 1. Count\n- [ ] 1.1 Walk\n  - _Requirements: 1_\n- [ ] 1.2 Note\n", "1@1 \"Count\" open\n  1.1@2 \"Walk\" open\n  1.2@4 \"Note\" open\n"},
		{"spec-kit", "waves end with a phase, a heading and a task without a mark", "# Tasks\n## Phase 1\n- [ ] T001 [P] a\n- [ ] T002 [P] b\n## Phase 2\n- [ ] T003 [P] c\n- [ ] T004 [US1] [P] d\n- [ ] T005 e\n- [ ] T006 [P] f\n### Tests\n- [ ] T007 [P] g\n- [ ] loose\n- [ ] T008 [P] h\n",
			`T001@3 "a" open wave=T001
T002@4 "b" open wave=T001
T003@6 "c" open wave=T003
T004@7 "d" open wave=T003
T005@8 "e" open
T006@9 "f" open wave=T006
T007@11 "g" open wave=T007
item-12@12 "loose" open
T008@13 "h" open wave=T008
task_list.parallel: T001 T002 T003 T004 T006 T007 T008
task_list.phases."Phase 1": T001 T002
task_list.phases."Phase 2": T003 T004 T005 T006 T007 T008
task_list.stories.US1: T004
12:1 warning item-irregular 
`},
		{"kiro", "waves", "# Implementation Plan\n\n- [ ] 1. (P) Count\n  - [ ] 1.1 (P) Walk\n  - _Requirements: 1.1_\n- [ ] 2. Order (P)\n- [ ] 3. Wait\n- [ ] 4. Put in (P)\n",
			`1@3 "Count" open wave=1
  1.1@4 "Walk" open
2@6 "Order" open wave=1
3@7 "Wait" open
4@8 "Put in" open wave=4
task_list.parallel: 1 1.1 2 4
`},
		{"openspec", "groups", "## 1. Core\n\n- [x] 1.1 Add `a`\n- [ ] 1.2 Test\n- [ ] no number\n\n## 2. Docs\n- [ ] 2.1 Write\n- [ ] 2.1 Twice\n", `1@1 "Core" in-progress
  1.1@3 "Add ` + "`a`" + `" done
  1.2@4 "Test" open
  1.item-5@5 "no number" open
2@7 "Docs" open
  2.1@8 "Write" open
  2.1@9 "Twice" open
9:1 error task-duplicate-id 2.1
`},
		{"openspec", "no numbers at all", "## Core\n- [x] Add\n- [ ] Test\n", "group-1@1 \"Core\" in-progress\n  group-1.item-2@2 \"Add\" done\n  group-1.item-3@3 \"Test\" open\n"},
		{"openspec", "headings within groups, numbers of other groups", "## 1. Core\n### Details\n- [ ] 1.1 A\n### 1.2 Sub\n- [ ] 1.2.1 B\n## Extras\n- [ ] 7.1 C\n- [ ] D\n## Notes\nNothing.\n",
			"1@1 \"Core\" open\n  1.1@3 \"A\" open\n1.2@4 \"Sub\" open\n  1.2.1@5 \"B\" open\n7.1@7 \"C\" open\ngroup-1@6 \"Extras\" open\n  group-1.item-8@8 \"D\" open\n"},
		{"task-master", "subtasks", `{"meta": {"projectName": "Lamps"}, "tasks": [
{"id": 1, "title": "Count", "status": "done", "dependencies": [], "priority": "high"},
{"id": "2", "title": "Replace", "status": "deferred", "dependencies": ["1", 9], "subtasks": [
 {"id": 1, "title": "Put in", "dependencies": ["2.2"]},
 {"id": 2, "title": "Order", "status": "in-progress"}]}]}`, `1@2 "Count" done
2@3 "Replace" deferred after=1,9
  2.2@5 "Order" in-progress
  2.1@4 "Put in" open
3:71 warning task-dep-unknown 2
`},
		{"task-master", "tags", `{"master": {"tasks": [{"id": 1, "title": "A", "status": "pending"}]}, "x": {"tasks": [{"id": 1, "title": "B", "status": "pending"}]}}`,
			"1@1 \"A\" open\n1@1 \"B\" open\ntask_list.tags.master: 1\ntask_list.tags.x: 1\n1:77 warning tags-share-ids \n"},
		{"beads", "issues", `{"id":"bd-1","title":"A","status":"closed","priority":1,"issue_type":"bug"}
not json
{"id":"bd-2","title":"B","status":"open","priority":2,"issue_type":"task","dependencies":[{"depends_on_id":"bd-1","type":"blocks"},{"depends_on_id":"bd-9","type":"parent-child"},{"depends_on_id":"bd-8","type":"blocks"}]}
{"title":"no id"}
`, `bd-1@1 "A" done
bd-2@3 "B" open after=bd-1,bd-8
task_list.parent-child: bd-2 bd-9
2:1 error json-parse-error 
3:90 warning task-dep-unknown bd-2
4:1 warning item-irregular 
`},
		{"execplan", "progress", "# Lamps\n\n## Purpose\n\nLight for\nall.\n\nMore.\n\n## Progress\n\n- [x] (2025-10-01 13:00Z) Counted.\n- [ ] Replace (completed: one; remaining: two).\n\n## Decision Log\n- [ ] no item\n## Context and Orientation\n## Plan of Work\n", `1@12 "Counted." done
2@13 "Replace (completed: one; remaining: two)." open
task_list.finished: 1 2025-10-01 13:00Z
`},
		{"superpowers", "steps", "# Lamps\n\n**Goal:** Light.\n\n### Task 1: Count\n\n**Files:**\n- Create: `a.go`\n- Modify: `b.go:12-30`\n- Read: `c.go`\n\n- [x] **Step 1: Walk**\n\nRun:\n```bash\n### Task 9: no\n```\n- [x] **Step 2: Note**\n\n### Task 2: Replace\n**Step 1: Order**\n", `1@5 "Count" done files=a.go,b.go
  1.1@12 "Walk" done
  1.2@18 "Note" done
2@20 "Replace" open
  2.1@21 "Order" open
`},
	} {
		t.Run(string(c.format)+" "+c.name, func(t *testing.T) {
			for _, end := range []string{"\n", "\r\n"} {
				text := []byte("\ufeff" + strings.ReplaceAll(c.text, "\n", end))
				if got := tasklist.Detect("tasks.md", text); got != c.format {
					t.Fatalf("detected as %s", got)
				}
				d, err := tasklist.Read("tasks.md", text)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, show(d)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				for _, f := range d.Check(plan.CheckOptions{}) {
					if f.Hint == "" || f.Message == "" {
						t.Errorf("%s has no hint", f.Code)
					}
				}
			}
		})
	}
}

func TestDetectOthers(t *testing.T) {
	for _, text := range []string{"", "# Notes\n\n- [ ] buy milk\n", "## Task 1: A\n\n**Acceptance Criteria:**\n- [ ] x\n", "<task id=\"1\">\n- [ ] 1. a\n</task>\n", `[{"task_id": 1}]`, `{"a": 1}`, "```\n- [ ] T001 x\n```\n"} {
		if got := tasklist.Detect("notes.md", []byte(text)); got != plan.Unknown {
			t.Errorf("%q is %s", text, got)
		}
	}
}

func TestGoals(t *testing.T) {
	for _, c := range [][2]string{
		{"# Tasks: Lamps\n- [ ] T001 a\n", "Lamps"}, {"# Implementation Plan: Lamps\n- [ ] 1. a\n", "Lamps"},
		{"# L\n## Purpose\nLight for\nall.\n\nMore.\n## Progress\n- [ ] a\n## Decision Log\n## Outcomes\n", "Light for all."},
		{"**Goal:** Light.\n### Task 1: A\n- [ ] **Step 1: x**\n", "Light."},
	} {
		d, err := tasklist.Read("tasks.md", []byte(c[0]))
		if err != nil || d.Plan.Goal != c[1] {
			t.Errorf("%q: goal %q, %v", c[0], d.Plan.Goal, err)
		}
	}
}

func TestCycle(t *testing.T) {
	d, err := tasklist.Read("tasks.md", []byte("- [ ] T001 a (depends on T002)\n- [ ] T002 b (depends on T001)\n"))
	if err != nil || len(d.Found) != 1 || d.Found[0].Code != "task-cycle" || d.Found[0].Message != "tasks wait for each other: T001 → T002 → T001" {
		t.Errorf("%v %v", d.Found, err)
	}
}

func ExampleRead() {
	draft, err := tasklist.Read("tasks.md", []byte("# Tasks: Lamps\n\n- [x] T001 Count the lamps\n- [ ] T002 [P] Replace the broken ones (depends on T001)\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range draft.Plan.Tasks {
		fmt.Println(t.ID, t.Status, t.DependsOn)
	}
	// Output:
	// T001 done []
	// T002 open [T001]
}

func FuzzRead(f *testing.F) {
	f.Add("tasks.md", "## 1. a\n- [ ] 1.1 x\n- [-]* 2. y\n- [ ] z\n")
	f.Add("tasks.md", "- [ ] T001 [P] [US1] x (depends on T001-T999)\n  - [ ] y\n")
	f.Add("tasks.json", `{"tasks":[{"id":1,"title":"a","status":"x","subtasks":[{"id":1,"dependencies":[1]}]}]}`)
	f.Add("issues.jsonl", `{"id":"a","title":"b","status":"open","issue_type":"c","dependencies":[{}]}`+"\n{")
	f.Add("tasks.md", "- [ ] T001 x\n  Verify:\n  ```sh\n  npm test\n\n  ```\n  - Acceptance: `wc -l a` returns 1\n")
	f.Add("p.md", "### Task 1: a\n**Files:**\n- Create: `x`\n- [ ] **Step 1: b** c\n")
	f.Fuzz(func(t *testing.T, name, text string) {
		d, err := tasklist.Read(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range d.Check(plan.CheckOptions{}) {
			if found.Pos.Line < 1 || found.Pos.Column < 1 || found.Hint == "" {
				t.Errorf("%+v", found)
			}
		}
		d.Plan.Digest()
	})
}
