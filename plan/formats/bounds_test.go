package formats_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats"
)

// hostile are texts that grow in a way that a careless reader pays for twice: a
// head, and a line that is repeated until the text has a megabyte. The line may
// have its number in it.
var hostile = map[string]struct{ name, head, line string }{
	"spec tasks":          {"spec_x.md", "## Goal\nx\n\n", "### Task [%d]: T\n- **Step [1]:** S\n"},
	"spec steps":          {"spec_x.md", "## Goal\nx\n\n### Task [1]: T\n", "- **Step [%d]:** S\n  - **Backup [1]:** B\n"},
	"spec one id":         {"spec_x.md", "## Goal\nx\n\n", "### Task [1]: T\n- **Step [1]:** S\n"},
	"spec speclets":       {"spec_x.md", "## Goal\nx\n\n", "### SPECLet [%d]: T\n**Depends On:** 1, 2\n**Tasks Included:** 1\n"},
	"spec quotes":         {"spec_x.md", "## Goal\nx\n\n", ">>>>>>>>>> - - - - [a](b *c* "},
	"spec brackets":       {"spec_x.md", "## Goal\nx\n\n", "[[[[[[[[![["},
	"spec fences":         {"spec_x.md", "## Goal\nx\n\n", "```\n"},
	"spec nested lists":   {"spec_x.md", "## Goal\nx\n\n", "- - - - - - - - a\n"},
	"spec stars":          {"spec_x.md", "## Goal\nx\n\n", "**a _b "},
	"spec toml tasks":     {"parameters_x.toml", "[goal]\ndescription = \"x\"\n", "[[tasks]]\nid = %d\ndescription = \"x\"\n[[tasks.steps]]\nid = 1\n"},
	"spec toml speclets":  {"parameters_x.toml", "[goal]\ndescription = \"x\"\n", "[[speclets]]\nid = %d\ntasks = [1, 2]\ndepends_on = [0, 1]\n"},
	"phase tags":          {"01-PLAN.md", "---\nphase: 1\nplan: 1\n---\n", "<task type=\"auto\">\n"},
	"phase tasks":         {"01-PLAN.md", "---\nphase: 1\nplan: 1\n---\n", "<task id=\"%d\">\n<name>x</name>\n<files>a.go</files>\n</task>\n"},
	"phase closed":        {"01-PLAN.md", "---\nphase: 1\nplan: 1\n---\n", "</task>\n"},
	"phase elements":      {"01-PLAN.md", "---\nphase: 1\nplan: 1\n---\n<task>\n", "<name><files>\n"},
	"phase headings":      {"01-PLAN.md", "", "### Task %d: T\n**Depends On:** Task 1\n"},
	"phase front matter":  {"01-PLAN.md", "---\nphase: 1\nplan: 1\ndepends_on:\n", "  - \"%d\"\n"},
	"phase yaml anchors":  {"01-PLAN.md", "---\nphase: 1\nplan: 1\na: &a [x]\n", "b%d: [*a, *a, *a]\n"},
	"phase yaml depth":    {"01-PLAN.md", "---\nphase: 1\nplan: ", "["},
	"actions":             {"pending_actions.json", "[", `{"task_id":%d,"action":"a","priority":"HIGH","acceptance_criteria":["x"],"dependencies":["1"]},`},
	"actions depth":       {"pending_actions.json", "", "["},
	"actions keys":        {"pending_actions.json", "[{", `"k%d":1,`},
	"task-master":         {"tasks.json", `{"tasks":[`, `{"id":%d,"title":"a","status":"pending","dependencies":[1],"subtasks":[{"id":1,"title":"b"}]},`},
	"beads":               {"issues.jsonl", "", "{\"id\":\"a-%d\",\"title\":\"x\",\"status\":\"open\",\"issue_type\":\"task\",\"dependencies\":[{\"issue_id\":\"a-%[1]d\",\"depends_on_id\":\"a-1\",\"type\":\"blocks\"}]}\n"},
	"beads one id":        {"issues.jsonl", "", "{\"id\":\"a\",\"title\":\"x\",\"status\":\"open\",\"issue_type\":\"task\"}\n"},
	"spec-kit":            {"tasks.md", "# Tasks\n", "- [ ] T%03d [P] write src/a.go (depends on T001)\n"},
	"spec-kit one id":     {"tasks.md", "# Tasks\n", "- [ ] T001 [P] write src/a.go\n"},
	"kiro":                {"tasks.md", "# Implementation Plan\n", "- [ ] %d. T\n  - _Requirements: 1.1_\n"},
	"kiro deep":           {"tasks.md", "# Implementation Plan\n", "- [ ] 1.1.1.1.1.1.1.1 x\n"},
	"openspec":            {"tasks.md", "", "## %d. G\n- [ ] %[1]d.1 x\n"},
	"execplan":            {"plan.md", "# X\n\nThis ExecPlan is a living document.\n\n## Purpose\n\nx\n\n## Progress\n\n", "- [ ] (2025-10-01 13:00Z) x\n"},
	"markdown":            {"plan.md", "# X\n\n## Steps\n\n", "%d. Write `a.txt`\n"},
	"superpowers":         {"plan.md", "# X Implementation Plan\n\n> superpowers:executing-plans\n\n", "### Task %d: T\n\n**Files:**\n- Create: `a`\n\n- [ ] **Step 1: x**\n"},
	"one long line":       {"tasks.md", "- [ ] T001 ", "word "},
	"blank lines":         {"tasks.md", "- [ ] T001 x\n", "\n"},
	"carriage returns":    {"tasks.md", "- [ ] T001 x\n", "\r"},
	"comments never ends": {"spec_x.md", "## Goal\nx\n<!-- ", "<!-- a\n"},
	"html":                {"spec_x.md", "## Goal\nx\n", "<a href=\""},
	"links":               {"spec_x.md", "## Goal\nx\n", "[a%d]: /x\n"},
	"tables":              {"spec_x.md", "## Goal\nx\n", "|a|b|\n|-|-|\n"},
}

// TestHostileTextsAreReadInBounds reads a megabyte of each.
func TestHostileTextsAreReadInBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, h := range hostile {
		t.Run(name, func(t *testing.T) {
			text := []byte(grown(h.head, h.line, 1<<20))
			took, used := measure(limit(), func() {
				d, err := formats.ReadBytes(h.name, text)
				if err != nil {
					t.Fatal(err)
				}
				d.Check(plan.CheckOptions{})
			})
			t.Logf("%v, %d MiB", took.Round(time.Millisecond), used>>20)
			if took > limit() || used > mostMemory {
				t.Errorf("%v and %d MiB", took, used>>20)
			}
		})
	}
}

// grown repeats a line until the text has a size.
func grown(head, line string, size int) string {
	var b strings.Builder
	b.WriteString(head)
	numbered := strings.Contains(line, "%")
	for i := 1; b.Len() < size; i++ {
		if numbered {
			fmt.Fprintf(&b, line, i)
		} else {
			b.WriteString(line)
		}
	}
	return b.String()[:size]
}

// BenchmarkRead reads a plan of ten thousand steps.
func BenchmarkRead(b *testing.B) {
	var text strings.Builder
	text.WriteString("# Tasks\n")
	for i := range 10_000 {
		fmt.Fprintf(&text, "- [ ] T%05d write a%d.go\n", i, i)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		d, err := formats.ReadBytes("tasks.md", []byte(text.String()))
		if err != nil || len(d.Plan.Tasks) != 10_000 {
			b.Fatal(err, len(d.Plan.Tasks))
		}
		d.Check(plan.CheckOptions{})
	}
}
