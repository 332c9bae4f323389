package tasklist_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/tasklist"
)

// drawn is a plan as these tests write it: its goal, and a line for each task and
// step.
func drawn(p *plan.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "goal %s\n", p.Goal)
	for _, t := range p.Tasks {
		fmt.Fprintf(&b, "%s %s", t.ID, t.Title)
		if t.Status != plan.Open {
			fmt.Fprintf(&b, " (%s)", t.Status)
		}
		if t.Files != nil {
			fmt.Fprintf(&b, " %v", t.Files)
		}
		b.WriteString("\n")
		for _, s := range t.Steps {
			if s.Description == t.Title { // of a task that lists none
				continue
			}
			fmt.Fprintf(&b, "  %s %s", s.ID, s.Description)
			if s.Status != plan.Open {
				fmt.Fprintf(&b, " (%s)", s.Status)
			}
			b.WriteString("\n")
		}
		if t.DependsOn != nil {
			fmt.Fprintf(&b, "  after %v\n", t.DependsOn)
		}
	}
	return b.String()
}

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"boxes", "# Todo: ship it\n\n- [ ] write\n  - [x] read\n  - [ ] **count**:\n- [x] done\n- prose\n",
			"goal ship it\n1 write\n  1 read (done)\n  2 count\n2 done (done)\n"},
		{"boxes below headings", "# App\n\n## Backend\n- [ ] a\n- [x] b\n\n## Frontend\n- [ ] c\n\n## Notes\n- x\n",
			"goal App\n1 Backend (in-progress)\n  1 a\n  2 b (done)\n2 Frontend\n  1 c\n"},
		{"boxes that are criteria", "# App\n\n## Steps\n1. a\n2. b\n\n## Acceptance criteria\n- [ ] all is well\n",
			"goal App\n1 a\n2 b\n"},
		{"numbered", "# Fix the login\n\nIt is broken.\n\n1. Find out\n   1. look\n   2. ask\n2. Mend `src/login.go`\n",
			"goal Fix the login\n1 Find out\n  1 look\n  2 ask\n2 Mend `src/login.go` [src/login.go]\n"},
		{"numbered below steps", "# X\n\n## Why\n1. reason\n2. reason\n\n## Implementation steps\n1. a\n2. b\n\n## Risks\n1. c\n2. d\n",
			"goal X\n1 a\n2 b\n"},
		{"numbered below headings", "# X\n\n## One\n1. a\n2. b\n\n## Two\n1. c\n",
			"goal X\n1 One\n  1 a\n  2 b\n2 Two\n  1 c\n"},
		{"a goal", "# Login\n\n## Goal\n\nUsers can\nlog in.\n\nSoon.\n\n## Steps\n\n1. a\n2. b\n",
			"goal Users can log in.\n1 a\n2 b\n"},
		{"a plan mode", "# Plan: Dark mode\n\n## Context\nWanted.\n\n## Approach\n\n### 1. Add the toggle\n\nIn `src/toggle.ts`:\n- state\n\n### 2. Keep it\n\nEdit `./src/store.ts:12`, see `src/other.ts`.\n\n## Critical files\n- `src/a.ts`\n\n## Verification\n- Run `npm test`\n",
			"goal Dark mode\n1 Add the toggle [src/toggle.ts]\n2 Keep it [src/store.ts src/other.ts]\n"},
		{"phases", "# X\n\n## Phase 1: Dig\n1. hole\n2. wall\n\ntext\n\n## Phase 2 – Build\n1. one alone is text\n\n### Details\nmore\n\n## Summary\n",
			"goal X\n1 Dig\n  1 hole\n  2 wall\n2 Build\n"},
		{"numbered sections", "# X\n\n## 1. Background\nx\n\n## 2. Dig\ny\n\n## 3. Build\nz\n",
			"goal X\n1 Dig\n2 Build\n"},
		{"a section of milestones", "# X\n\n## 1. Rules\nx\n\n## 2. Layout\ny\n\n## 3. Milestones\n\n### M1 dig\n\n### M2 build\n",
			"goal X\n1 dig\n2 build\n"},
		{"bullets below steps", "# X\n\n## To do\n- a\n  - detail\n- b\n",
			"goal X\n1 a\n2 b\n"},
		{"headings with bullets", "# X\n\n## Parser\n- tokens\n\n## Printer\n- lines\n\n## Out of scope\n- colour\n",
			"goal X\n1 Parser\n2 Printer\n"},
		{"a front matter", "---\ntitle: x\n# no heading\n---\n# X\n\n1. a\n2. b\n", "goal X\n1 a\n2 b\n"},
		{"code", "# X\n\n1. a\n```sh\n# not a heading\n2. no\n```\n2. b\n", "goal X\n1 a\n2 b\n"},
		{"a title that says nothing", "# TODO\n\n- [ ] a\n", "goal notes\n1 a\n"},
		{"boxes below a numbered list", "# X\n\n1. Parser\n   - [ ] tokens\n2. Printer\n", "goal X\n1 Parser\n2 Printer\n"},
		{"boxes below some of the steps", "# X\n\n## Step 1: Dig\ntext\n\n## Step 2: Build\n- [ ] wall\n",
			"goal X\n1 Dig\n2 Build\n  1 wall\n"},
		{"boxes elsewhere", "# X\n\n## Steps\n1. a\n2. b\n\n## Nice to have\n- [ ] c\n\n## Verification checklist\n- [ ] d\n",
			"goal X\n1 a\n2 b\n"},
		{"boxes below bullets", "# X\n\n- A\n  - [ ] a\n- B\n  - [ ] b\n", "goal X\n1 a\n2 b\n"},
		{"tests are to be written", "# X\n\n## 1. Implement\nx\n\n## 2. Testing\ny\n", "goal X\n1 Implement\n2 Testing\n"},
		{"tests in boxes", "# X\n\n## Code\n- [ ] a\n\n## Testing\n- [ ] b\n", "goal X\n1 Code\n  1 a\n2 Testing\n  1 b\n"},
		{"tests in boxes beside work", "# X\n\n## Implementation\n- [ ] a\n\n## Testing\n- [ ] b\n",
			"goal X\n1 Implementation\n  1 a\n2 Testing\n  1 b\n"},
		{"a step that is a test", "# X\n\n## **Step 1.1:** Dig `a.go`\nx\n\n## Step 1.2: Testing\ny\n",
			"goal X\n1 Dig `a.go` [a.go]\n2 Testing\n"},
		{"underlined headings", "Build it\n========\n\nPhase 1: Dig\n------------\ndeep\n\nPhase 2: Walls\n---\n- brick\n",
			"goal Build it\n1 Dig\n2 Walls\n"},
		{"rules are no headings", "# X\n\nSome\ntext\n---\n\n- a\n---\n\n1. b\n2. c\n", "goal X\n1 b\n2 c\n"},
		{"steps in German", "# Umbau\n\n## Schritt 1: Graben\nLege `a.txt` an.\n\n## Schritt 2: Bauen\nx\n\n## Überprüfung\n- `make test`\n",
			"goal Umbau\n1 Graben\n2 Bauen\n"},
		{"steps in French", "# Site\n\n## Étape 1 : Préparer\nx\n## Étape 2 : Déployer\ny\n", "goal Site\n1 Préparer\n2 Déployer\n"},
		{"steps in Chinese", "# 计划\n\n## 第一步：准备\nx\n## 第二步：部署\ny\n\n## 验收标准\n- [ ] 通过\n", "goal notes\n1 准备\n2 部署\n"},
		{"a list in German", "# Anmeldung\n\n## Kontext\n- langsam\n\n## Schritte\n1. Index\n2. Abfrage\n\n## Akzeptanzkriterien\n- [ ] schnell\n",
			"goal Anmeldung\n1 Index\n2 Abfrage\n"},
		{"bullets in no language that is known", "# Lunt\n\nText.\n\n## Fraam\n- a\n- b\n", "goal Lunt\n1 a\n2 b\n"},
		{"options are no steps", "# X\n\n## Option 1: a\nx\n## Option 2: b\ny\n\n## Steps\n- c\n- d\n", "goal X\n1 c\n2 d\n"},
		{"a work list below steps", "# X\n\n## Sprint 1\n1. goal\n2. goal\n\n### Tasks\n1. a\n2. b\n\n## Sprint 2\nx\n",
			"goal X\n1 Sprint 1\n  1 a\n  2 b\n2 Sprint 2\n"},
		{"numbered headings below phases", "# X\n\n## Phase 1: Core\n### 1.1 Dig\nx\n- y\n#### Deep\nz\n### 1.2 Fill ✅\nx\n## Phase 2: UI\n### Notes\nx\n",
			"goal X\n1 Core (in-progress)\n  1 Dig\n  2 Fill ✅ (done)\n2 UI\n"},
		{"boxes below parts of phases and elsewhere", "# X\n\n## Phase 1: Core\n- [ ] a\n### More\n- [ ] b\n## Phase 2: UI\n- [x] c\n## Backlog\n- [ ] d\n",
			"goal X\n1 Core\n  1 a\n  2 b\n2 UI (done)\n  1 c (done)\n3 Backlog\n  1 d\n"},
		{"a table", "# Work\n\n| # | Task | File | Status | Needs |\n|---|:-----|------|--------|---|\n| 1 | Add `a\\|b` | `src/model.py` | todo | care |\n| 2 | Add view | src/view.py | ✅ | |\n",
			"goal notes\n1 Add `a|b` [src/model.py]\n2 Add view (done) [src/view.py]\n"},
		{"a table with an order", "# X\n\n## Steps\n\n| Step | Description | Depends on |\n|---|---|---|\n| 10 | Dig | |\n| 20 | Fill | 10 |\n",
			"goal X\n1 Dig\n2 Fill\n  after [1]\n"},
		{"a table of other things", "# X\n\n| Layer | What |\n|---|---|\n| a | b |\n| c | d |\n\n1. e\n2. f\n", "goal X\n1 e\n2 f\n"},
		{"what waits", "# X\n\n- [ ] alpha (depends on gamma)\n- [ ] beta (after step 3)\n- [ ] gamma\n",
			"goal X\n1 alpha (depends on gamma)\n  after [3]\n2 beta (after step 3)\n  after [3]\n3 gamma\n"},
		{"what waits by the page's numbers", "# X\n\n## Step 2: Dig\nx\n\n## Step 3: Fill\nDepends on: Step 2\n\n## Step 5: Look\nAfter steps 2 and 3, look.\n",
			"goal X\n1 Dig\n2 Fill\n  after [1]\n3 Look\n  after [1 2]\n"},
		{"bold lines for headings", "## Plan: Upload\n\nShort.\n\n**Context**\n1. old\n2. slow\n\n**Steps**\n1. a\n2. b\n\n**Verification:**\n- [ ] c\n",
			"goal Upload\n1 a\n2 b\n"},
		{"bold lines that are labels", "# X\n\n## Phase 1: A\n**Tasks:**\n- [ ] a\n\n## Phase 2: B\n**Tasks**\n- [ ] b\n",
			"goal X\n1 A\n  1 a\n2 B\n  1 b\n"},
		{"struck out", "# X\n\n## Pending tasks\n\n### Dig\nx\n### ~~Fill~~\ny\n### Look\nz\n", "goal X\n1 Dig\n2 Look\n"},
		{"a page about something", "# Frob\n\n## Features\n- fast\n- small\n\n## Usage\n- x\n- y\n\n## Tasks\n- c\n", "goal Frob\n1 c\n"},
		{"files without backquotes", "# X\n\n- [ ] Update CHANGELOG.md\n- [ ] Write the docs/use.md: how\n- [ ] Update Node.js\n- [ ] Add tsconfig.json support\n- [ ] Add e.g. this\n- [ ] Update a.md, b.md\n- [ ] Fix a.md\n",
			"goal X\n1 Update CHANGELOG.md [CHANGELOG.md]\n2 Write the docs/use.md: how [docs/use.md]\n3 Update Node.js\n4 Add tsconfig.json support\n" +
				"5 Add e.g. this\n6 Update a.md, b.md\n7 Fix a.md\n"},
		{"files that stay", "# X\n\n- [ ] change `h.go`\n  do not edit `g.go`\n", "goal X\n1 change `h.go` [h.go]\n"},
		{"files", "# X\n\n## Steps\n1. **Store**\n   - Files: `a.go`, `b/c.go`\n   - look at `d.go`\n2. Rename `e.go` to `f.go`\n",
			"goal X\n1 Store [a.go b/c.go]\n2 Rename `e.go` to `f.go` [e.go f.go]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := tasklist.DetectMarkdown("notes.md", []byte(c.text)); got != tasklist.Markdown {
				t.Fatalf("it is taken for %q", got)
			}
			d, err := tasklist.ReadMarkdown("notes.md", []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, drawn(&d.Plan)); diff != "" {
				t.Error(diff)
			}
			scoped := strings.Count(c.want, " [") == len(d.Plan.Tasks)
			if scoped != (d.Plan.Profile == plan.Scoped) {
				t.Errorf("its profile is %q", d.Plan.Profile)
			}
			if len(d.Found) == 0 || d.Found[0].Code != "taken-for-tasks" || d.Found[0].Pos.Line < 2 {
				t.Errorf("it does not tell what was taken for tasks: %v", d.Found)
			}
		})
	}
}

// TestMarkdownTellsTheRest holds that nothing of a page is lost: what is no task
// helps with the tasks, or is looked at when they are done.
func TestMarkdownTellsTheRest(t *testing.T) {
	d, err := tasklist.ReadMarkdown("notes.md", []byte("# X\n\nFirst words.\n\n## Context\n\nOld code.\n\n## Steps\n\nIn this order:\n\n1. Write it\n\n   with care\n   ```go\n   x\n   ```\n\nThen rest.\n\n## Verification\n\n- `go test ./...` passes\n- It looks well\n- `wc -l a` prints 5\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"First words.", "Context: Old code.", "Steps: In this order:\n\nThen rest."}, d.Plan.Tasks[0].Hints); diff != "" {
		t.Error(diff)
	}
	if got := d.Plan.Tasks[0].Description; !strings.Contains(got, "with care") || !strings.Contains(got, "```go") {
		t.Errorf("the task says %q", got)
	}
	end := d.Plan.Completion
	if len(end.Checks) != 1 || end.Checks[0].Run != "go test ./..." {
		t.Errorf("checked at the end: %v", end.Checks)
	}
	if diff := cmp.Diff([]string{"It looks well", "`wc -l a` prints 5"}, end.AcceptanceCriteria); diff != "" {
		t.Error(diff)
	}
	if last := d.Found[len(d.Found)-1]; d.Found[0].Code != "verify-not-run" && last.Code != "verify-not-run" {
		t.Errorf("found %v", d.Found)
	}
}

// TestMarkdownBounds holds that a long list is told, and that what helps is not told
// to each of very many tasks.
func TestMarkdownBounds(t *testing.T) {
	text := "# X\n\n" + strings.Repeat("word ", 10_000) + "\n\n## Steps\n\n" + strings.Repeat("- [ ] a\n", 12_500)
	d, err := tasklist.ReadMarkdown("notes.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(d.Found, func(f plan.Diagnostic) bool { return f.Code == "too-many-tasks" }) {
		t.Errorf("found %v", d.Found)
	}
	told := 0
	for _, task := range d.Plan.Tasks {
		told += len(strings.Join(task.Hints, ""))
	}
	if told > 5<<20 {
		t.Errorf("%d bytes are told", told)
	}
}

// TestMarkdownEnds holds that what never ends, or acts on the world, is not run when
// all is done.
func TestMarkdownEnds(t *testing.T) {
	d, err := tasklist.ReadMarkdown("notes.md", []byte("# X\n\n- [ ] a\n\n## Verification\n\n- `npm run dev`\n- `git push origin main`\n- `npm test`\n"))
	if err != nil {
		t.Fatal(err)
	}
	if end := d.Plan.Completion; len(end.Checks) != 1 || end.Checks[0].Run != "npm test" || len(end.AcceptanceCriteria) != 2 {
		t.Errorf("at the end: %v, %q", end.Checks, end.AcceptanceCriteria)
	}
	if at := slices.IndexFunc(d.Found, func(f plan.Diagnostic) bool { return f.Code == "taken-for-tasks" }); at < 0 ||
		!strings.Contains(d.Found[at].Message, "npm test") {
		t.Errorf("what is run is not told: %v", d.Found)
	}
}

// TestNoMarkdownPlan holds that a page with nothing to do is none.
func TestNoMarkdownPlan(t *testing.T) {
	for _, text := range []string{"", "# Read me\n\nText.\n", "# X\n\n- a\n- b\n", "{\"a\": 1}", "<html>\n1. a\n2. b\n",
		"# X\n\n## Acceptance criteria\n- [ ] a\n", "## Notes\n1. a\n2. b\n", "# X\n\n1. a\n",
		"# X\n\n```\n- [ ] a\n```\n"} {
		if got := tasklist.DetectMarkdown("notes.md", []byte(text)); got != plan.Unknown {
			t.Errorf("%q is taken for %q", text, got)
		}
	}
}

// TestMarkdownScope holds that a section which lists all files that change bounds
// tasks that name none.
func TestMarkdownScope(t *testing.T) {
	for head, c := range map[string]struct {
		text string
		want []string
	}{
		"## Critical files":         {"- `a.go` — x, see `z.go`\n- `b/c.go:12`\n  - why `d.go`\n- **e.go**\n- `f.go` (read only)\n", []string{"a.go", "b/c.go", "d.go", "e.go"}},
		"## Files to change":        {"| File | Change |\n|---|---|\n| `a.go` | x |\n| b.go | y |\n", []string{"a.go", "b.go"}},
		"## Betroffene Dateien":     {"1. `a.go`\n", []string{"a.go"}},
		"## Critical files to read": {"- `a.go`\n", []string{"a.go"}},
		"## Files":                  {"- `a.go`\n", nil},
		"## Files to look at":       {"- `a.go`\n", nil},
		"## Modified files":         {"- `a.go`\n- and those of the server\n", nil},
	} {
		d, err := tasklist.ReadMarkdown("notes.md", []byte("# X\n\n## Steps\n1. a\n2. edit `q.go`\n\n"+head+"\n\n"+c.text))
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range d.Plan.Tasks {
			if diff := cmp.Diff(c.want, task.PlanFiles); diff != "" {
				t.Errorf("%s: %s", head, diff)
			}
		}
		if scoped := d.Plan.Profile == plan.Scoped; len(d.Plan.Tasks) != 2 || scoped != (c.want != nil) {
			t.Errorf("%s: %d tasks in profile %q", head, len(d.Plan.Tasks), d.Plan.Profile)
		}
	}
}
