package spec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
)

// outlineOf writes a draft down, one line for each task, step and speclet.
func outlineOf(p *plan.Plan, position func(string) plan.Position) string {
	var b strings.Builder
	if p.Goal != "" {
		fmt.Fprintf(&b, "goal %s\n", p.Goal)
	}
	at := func(key string) string {
		pos := position(key)
		return fmt.Sprintf("%d:%d", pos.Line, pos.Column)
	}
	for i, s := range p.Speclets {
		fmt.Fprintf(&b, "speclet %s %q needs %q has %q at %s\n", s.ID, s.Description, s.DependsOn, s.Tasks,
			at(fmt.Sprintf("speclets[%d]", i)))
	}
	for i, task := range p.Tasks {
		key := fmt.Sprintf("tasks[%d]", i)
		fmt.Fprintf(&b, "task %s %q at %s\n", task.ID, task.Title, at(key))
		for k, s := range task.Steps {
			step := fmt.Sprintf("%s.steps[%d]", key, k)
			critical := "-"
			if s.Critical != nil {
				critical = fmt.Sprint(*s.Critical)
			}
			fmt.Fprintf(&b, "  %s %q at %s critical %s mode %q output %q by %q\n", s.Address, s.Description, at(step),
				critical, s.Mode, s.ExpectedOutput, s.Prompt)
			for l, u := range s.Backups {
				fmt.Fprintf(&b, "    backup %s %q at %s", u.ID, u.Description,
					at(fmt.Sprintf("%s.backups[%d]", step, l)))
				if u.Prompt != u.Description {
					fmt.Fprintf(&b, " by %q", u.Prompt)
				}
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}

// The forms in which people write tasks and steps, each with what is to be
// read.
func TestMarkdownDialects(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"bullets with brackets": {
			"## Goal\nMove the mail\n\n### Task [1]: Copy\n- **Step [1]:** Dump `mail`  \n  - **Primary method:** Use dump:\n    - all folders\n    - all flags\n" +
				"  - **Backup [1]:** Copy by hand\n  - **Expected output:** A dump\n  - **Critical:** false (nice to have)\n  - **Mode:** collaborative (a person looks)\n- **Verification:** The dump is whole\n  - **Backup [9]:** of nothing\n",
			"goal Move the mail\ntask 1 \"Copy\" at 4:1\n  1.1 \"Dump `mail`\" at 5:1 critical false mode \"collaborative\" output \"A dump\" by \"Use dump:\\n- all folders\\n- all flags\"\n    backup 1 \"Copy by hand\" at 9:3\n"},
		"plain numbers": {
			"## Goal\nMove\n\n### Task 2: Copy\n- Step 2.1: Dump (critical)\n- Step 2.2: Read (non-critical)\n- **Expected Output:** of the task\n",
			"goal Move\ntask 2 \"Copy\" at 4:1\n  2.1 \"Dump\" at 5:1 critical true mode \"\" output \"\" by \"Dump\"\n  2.2 \"Read\" at 6:1 critical false mode \"\" output \"\" by \"Read\"\n"},
		"numbered steps in bold": {
			"### Task 1: A\n- **Step 1.1:** B\n- **Step [1.2]:** C\n- **Step 1: PAUSE and think**\n",
			"task 1 \"A\" at 1:1\n  1.1 \"B\" at 2:1 critical - mode \"\" output \"\" by \"B\"\n  1.2 \"C\" at 3:1 critical - mode \"\" output \"\" by \"C\"\n"},
		"headings of steps": {
			"## Task [0]: A\n\n### Step [1]: B\n- **Primary method:** M\n- **Backup [1]:** N\n- **Backup 2:** O\n- **Critical:** true\n\n#### Step [0.2]: C\n**Verification:** of the task\n\n### Scenario\n- **Backup [1]:** of nothing\n\n## Task 0 Completion Gate\n- **Step [9]:** no\n",
			"task 0 \"A\" at 1:1\n  0.1 \"B\" at 3:1 critical true mode \"\" output \"\" by \"M\"\n    backup 1 \"N\" at 5:1\n    backup 2 \"O\" at 6:1\n  0.2 \"C\" at 9:1 critical - mode \"\" output \"\" by \"C\"\n"},
		"headings of backups": {
			"## Task [1]: A\n\n### Step [1]: B\n- **Primary method:** M\n- expected_output: a book\n\n#### Backup [1]: N\n- **Critical:** true\n\n#### Backup 2: O\n\n### Step [2]: C\n\n## Task [2]: D\n#### Backup [1]: of nothing\n",
			"task 1 \"A\" at 1:1\n  1.1 \"B\" at 3:1 critical true mode \"\" output \"a book\" by \"M\"\n    backup 1 \"N\" at 7:1\n    backup 2 \"O\" at 10:1\n  1.2 \"C\" at 12:1 critical - mode \"\" output \"\" by \"C\"\ntask 2 \"D\" at 14:1\n"},
		"lists below speclets": {
			"### SPECLet [a]: First one\n- depends_on: []\n- tasks: [1]\n\n### SPECLet [b]: Second\n- **Depends on:**\n  - a\n- **Tasks included:** [2, 3]\n- parallel_allowed: true\n\n### SPECLet [c]: Third\n- **Depends_on:** [a, b]\n\n### Task [1]: T\n- tasks: of no speclet\n",
			"speclet a \"First one\" needs [] has [\"1\"] at 1:1\nspeclet b \"Second\" needs [\"a\"] has [\"2\" \"3\"] at 5:1\nspeclet c \"Third\" needs [\"a\" \"b\"] has [] at 11:1\ntask 1 \"T\" at 14:1\n"},
		"plain lines below speclets": {
			"### SPECLet [a]: First one\nDepends on: none\nTasks: [1, 2]\n\n### SPECLet b_2: Second\nTasks: [3]\nDepends on: a\n\n### SPECLet Notes: of nothing\n",
			"speclet a \"First one\" needs [] has [\"1\" \"2\"] at 1:1\nspeclet b_2 \"Second\" needs [\"a\"] has [\"3\"] at 5:1\n"},
		"numbered tasks": {
			"## Goal\n\nMove\n\n## Tasks\n1. Copy\n2. **Check**\n   - Step 2.1: Count\n\n## After\n1. Rest\n",
			"goal Move\ntask 1 \"Copy\" at 6:1\ntask 2 \"Check\" at 7:1\n  2.1 \"Count\" at 8:4 critical - mode \"\" output \"\" by \"Count\"\n"},
		"tasks of speclets": {
			"### SPECLet [a]: First one\n**Depends On:** `[]` (none)\n**Tasks Included:** `[task_1]`\n\n#### Task [1]: T\n- **Step [1]:** S\n\n### SPECLet [b]: Second\n**Dependencies:** first_one\n\n**Tasks:**\n- Task [2]: U\n\n#### Task [2]: U\n\n## SPECLet [b]: Second\n**Dependencies:** All previous SPECLets\n",
			"speclet a \"First one\" needs [] has [\"1\"] at 1:1\nspeclet b \"Second\" needs [\"a\"] has [\"2\"] at 8:1\ntask 1 \"T\" at 5:1\n  1.1 \"S\" at 6:1 critical - mode \"\" output \"\" by \"S\"\ntask 2 \"U\" at 14:1\n"},
		"task with the speclet before it": {
			"### Task [1.2]: T\n- **Step [1]:** S\n- **Step [1.2.2]:** R\n",
			"task 1.2 \"T\" at 1:1\n  1.2.1 \"S\" at 2:1 critical - mode \"\" output \"\" by \"S\"\n  1.2.2 \"R\" at 3:1 critical - mode \"\" output \"\" by \"R\"\n"},
		"fences and comments": {
			"## Goal\nMove\n```md\n### Task [1]: no\n```\n- see\n      ~~~\n### Task [2]: no\n      ~~~\n<!--\n### Task [3]: no\n-->\n### Task [4]: yes\n````\n```\n### Task [5]: no\n",
			"goal Move\ntask 4 \"yes\" at 13:1\n"},
		"dos line ends and a mark of byte order": {
			"\ufeff## Goal\r\nMove\r\n\r\n### Task [1]: T\r\n- **Step [1]:** S\r\n  - **Mode:** silent\r\n",
			"goal Move\ntask 1 \"T\" at 4:1\n  1.1 \"S\" at 5:1 critical - mode \"silent\" output \"\" by \"S\"\n"},
		"paragraph ends a step": {
			"### Task [1]: T\n- **Step [1]:** S\n\nA remark.\n\n  - **Backup [1]:** of nothing\n",
			"task 1 \"T\" at 1:1\n  1.1 \"S\" at 2:1 critical - mode \"\" output \"\" by \"S\"\n"},
		"no final newline":    {"### Task [1]: T\n- **Step [1]:** S", "task 1 \"T\" at 1:1\n  1.1 \"S\" at 2:1 critical - mode \"\" output \"\" by \"S\"\n"},
		"restated goal":       {"## Goal\nMove the mail\n\n**Goal:** Move\n", "goal Move the mail\n"},
		"goal of two lines":   {"## Goal\nMove the\nmail.\nAll of it.\n", "goal Move the mail.\n"},
		"goal and a remark":   {"## Goal\n\nMove the mail.\nIt is late.\n", "goal Move the mail.\n"},
		"goal and a label":    {"## Goal\nMove the mail\n**Owner:** me\n", "goal Move the mail\n"},
		"goal in a quote":     {"### Goal:\n> Move the mail\n", "goal Move the mail\n"},
		"goal below a label":  {"## Goal\n**Goal:**\nMove the mail\n", "goal Move the mail\n"},
		"goal of a label":     {"## Goal\n**Goal:**\n\nMove the mail\n", "goal Move the mail\n"},
		"goal without a text": {"## Goal\n\n## Tasks\n", ""},
		"empty":               {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Read("spec_mail.md", []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, outlineOf(&d.Plan, d.Position)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTOMLDialects(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"full": {
			"[goal]\ndescription = \"Move\"\n[[tasks]]\nid = 1\ndescription = \"Copy\"\n  [[tasks.steps]]\n  id = 1\n  description = \"Dump\"\n  expected_output = \"A dump\"\n  critical_flag = true\n  mode = \"silent\"\n" +
				"    [[tasks.steps.backups]]\n    id = 1\n    description = \"By hand\"\n",
			"goal Move\ntask 1 \"Copy\" at 3:1\n  1.1 \"Dump\" at 6:3 critical true mode \"silent\" output \"A dump\" by \"Dump\"\n    backup 1 \"By hand\" at 12:5\n"},
		"flags on the task": {
			"[goal]\nstatement = \"Move\"\n[[tasks]]\nid = \"a\"\nname = \"Copy\"\ncritical = true\nmode = \"silent\"\nmax_retries = 2\n[[tasks.steps]]\nid = 1.5\naction = \"Dump\"\n",
			"goal Move\ntask a \"Copy\" at 3:1\n  a.1.5 \"Dump\" at 9:1 critical true mode \"silent\" output \"\" by \"Dump\"\n"},
		"backups as keys": {
			"[[tasks]]\nid = 0\n[[tasks.steps]]\nid = 0\nmethod = \"primary\"\nprimary_method = \"M\"\nbackup_1 = \"A\"\nbackup_2 = \"B\"\n[[tasks.steps]]\nid = 1\nbackup_methods = [\"C\", \"D\"]\n",
			"task 0 \"\" at 1:1\n  0.0 \"\" at 3:1 critical - mode \"\" output \"\" by \"M\"\n    backup 1 \"A\" at 7:1\n    backup 2 \"B\" at 8:1\n  0.1 \"\" at 9:1 critical - mode \"\" output \"\" by \"\"\n    backup 1 \"C\" at 11:19\n    backup 2 \"D\" at 11:24\n"},
		"a description and how": {
			"[[tasks]]\nid = 1\ndescription = \"T\"\n[[tasks.steps]]\nid = 1\ndescription = \"S\"\naction = \"How\"\n[[tasks.steps.backups]]\nid = 1\ndescription = \"B\"\nmethod = \"How else\"\n",
			"task 1 \"T\" at 1:1\n  1.1 \"S\" at 4:1 critical - mode \"\" output \"\" by \"How\"\n    backup 1 \"B\" at 8:1 by \"How else\"\n"},
		"tasks in speclets": {
			"[[speclets]]\nid = 1\nname = \"base\"\ndependencies = []\n[[speclets.tasks]]\nid = 1\nname = \"T\"\n[[speclets.tasks.steps]]\nid = 1\ndescription = \"S\"\n[[speclets]]\nid = 2\nname = \"top\"\ndependencies = [\"base\"]\n",
			"speclet 1 \"base\" needs [] has [\"1.1\"] at 1:1\nspeclet 2 \"top\" needs [\"1\"] has [] at 11:1\ntask 1.1 \"T\" at 5:1\n  1.1.1 \"S\" at 8:1 critical - mode \"\" output \"\" by \"S\"\n"},
		"inline tables": {
			"tasks = [{ id = 1, description = \"T\", steps = [{ id = 1, action = \"S\" }] }]\n",
			"task 1 \"T\" at 1:10\n  1.1 \"S\" at 1:48\n"},
		"behind a key that stands twice": {
			"[[tasks]]\nid = 1\nid = 2\ndescription = \"T\"\n",
			"task 1 \"T\" at 1:1\n"},
		"up to a fault": {
			"[goal]\ndescription = \"Move\"\nlanguage = null\n[[tasks]]\n",
			"goal Move\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Read("parameters_mail.toml", []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			got := outlineOf(&d.Plan, d.Position)
			if name == "inline tables" {
				got = strings.ReplaceAll(got, " critical - mode \"\" output \"\" by \"S\"", "")
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A pair is joined by id: words from the Markdown, numbers from the parameters;
// each half stands beside it.
func TestJoin(t *testing.T) {
	markdown := "## Goal\nMove the mail\n\n### Task [1]: Copy\n- **Step [1]:** Dump\n  - **Primary method:** Use dump\n  - **Backup [1]:** By hand\n  - **Critical:** true\n  - **Mode:** silent\n### Task [3]: Rest\n"
	toml := "[goal]\ndescription = \"Move the mail\"\n[[tasks]]\nid = 2\ndescription = \"Check\"\n[[tasks]]\nid = 1\ndescription = \"Copy it\"\n[[tasks.steps]]\nid = 1\ndescription = \"Dump it\"\ncritical_flag = false\nmax_retries = 3\n[[tasks.steps.backups]]\nid = 1\ndescription = \"Hands\"\ntrigger_condition = \"primary_failure\"\n[[tasks.steps.backups]]\nid = 2\ndescription = \"Ask\"\n"
	d, err := ReadPair(plan.Text{Path: "spec_mail.md", Text: []byte(markdown)},
		plan.Text{Path: "parameters_mail.toml", Text: []byte(toml)})
	if err != nil {
		t.Fatal(err)
	}
	want := "goal Move the mail\ntask 1 \"Copy\" at 4:1\n  1.1 \"Dump\" at 5:1 critical false mode \"silent\" output \"\" by \"Use dump\"\n    backup 1 \"By hand\" at 7:3\n    backup 2 \"Ask\" at 18:1\ntask 3 \"Rest\" at 10:1\ntask 2 \"Check\" at 3:1\n"
	if diff := cmp.Diff(want, outlineOf(&d.Plan, d.Position)); diff != "" {
		t.Error(diff)
	}
	step := d.Plan.Tasks[0].Steps[0]
	if step.Retries() != 3 || step.Backups[0].TriggerCondition != "primary_failure" {
		t.Errorf("%+v", step)
	}
	sides := d.Sides()
	if len(sides) != 2 || sides[0].Name != "markdown" || sides[1].Name != "toml" || len(sides[0].Plan.Tasks) != 2 ||
		len(sides[1].Plan.Tasks) != 2 {
		t.Fatalf("%+v", sides)
	}
	if p := sides[1].Position("tasks[1].steps[0]"); p.Line != 9 || p.File != "parameters_mail.toml" {
		t.Errorf("%+v", p)
	}
}

// Tasks inside speclets are called as the Markdown calls them, and speclets by
// any of their names.
func TestNestedTasks(t *testing.T) {
	toml := "[goal]\ndescription = \"Move the mail\"\n[[speclets]]\nid = 1\nname = \"base\"\n[[speclets.tasks]]\nid = 1\nname = \"A\"\n[[speclets]]\nid = 2\nname = \"top\"\ndependencies = [\"base\"]\n[[speclets.tasks]]\nid = 2\nname = \"B\"\n"
	for _, c := range []struct{ first, second, want string }{
		{"1", "2", "1 2"}, {"1.1", "2.2", "1.1 2.2"},
	} {
		markdown := "## Goal\nMove the mail\n\n### SPECLet [1]: Foundation\n**Dependencies:** None\n\n#### Task [" +
			c.first + "]: A\n\n### SPECLet [2]: Rest\n**Dependencies:** base\n\n#### Task [" + c.second + "]: B\n"
		d, err := ReadPair(plan.Text{Path: "a.md", Text: []byte(markdown)},
			plan.Text{Path: "a.toml", Text: []byte(toml)})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, task := range d.Plan.Tasks {
			ids = append(ids, task.ID)
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("tasks %s, not %s", got, c.want)
		}
		for _, f := range d.Found {
			switch f.Code {
			case "task-missing-in-md", "task-missing-in-toml", "speclet-dep-differs", "speclet-dep-unknown", "task-unassigned", "speclet-task-unknown":
				t.Error(f)
			}
		}
	}
}
