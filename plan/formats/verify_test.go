package formats_test

import (
	"fmt"
	"testing"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats"
)

// What a format is said to write, where a command verifies a task, it reads as
// that. The others have the keys of native plans.
func TestVerifyIsReadByItsFormat(t *testing.T) {
	const command = "grep -q 'what must be there' src/a.txt"
	for format, file := range map[plan.Format][2]string{
		"markdown":    {"plan.md", "# X\n\n- [ ] Mend it\n  %s\n- [ ] Say so\n"},
		"spec-kit":    {"tasks.md", "# Tasks\n\n- [ ] T001 Mend it\n  %s\n"},
		"kiro":        {"tasks.md", "# Implementation Plan\n\n- [ ] 1. Mend it\n  %s\n  - _Requirements: 1.1_\n"},
		"openspec":    {"tasks.md", "## 1. Group\n- [ ] 1.1 Mend it\n  %s\n"},
		"superpowers": {"plan.md", "# X Implementation Plan\n\n> superpowers:executing-plans\n\n### Task 1: T\n\n- [ ] **Step 1: x**\n\n%s\n"},
		"execplan": {"plan.md", "# X\n\nThis ExecPlan is a living document.\n\n## Purpose / Big Picture\n\nx\n\n## Progress\n\n" +
			"- [ ] Mend it\n  %s\n\n## Surprises & Discoveries\n\n## Decision Log\n\n## Outcomes & Retrospective\n"},
		"task-master":       {"tasks.json", `{"tasks":[{"id":1,"title":"Mend it","status":"pending",%s}]}`},
		"beads":             {"issues.jsonl", `{"id":"a-1","title":"Mend it","status":"open","issue_type":"task",%s}` + "\n"},
		plan.PendingActions: {"pending_actions.json", `[{"task_id":1,"action":"Mend it","priority":"HIGH",%s}]`},
		plan.PhasePlan: {"01-PLAN.md", "---\nphase: 1\nplan: 1\n---\n<task type=\"auto\">\n<name>Mend it</name>\n" +
			"<action>Do</action>\n%s\n</task>\n"},
	} {
		d, err := formats.ReadBytes(file[0], fmt.Appendf(nil, file[1], format.Verify(command)))
		if err != nil || d.Format != format {
			t.Errorf("%s is read as %s, %v", format, d.Format, err)
			continue
		}
		found := false
		for _, s := range d.Plan.Steps() {
			for _, check := range s.Postconditions {
				found = found || check.Kind == "command" && check.Run == command
			}
		}
		if !found {
			t.Errorf("%s does not read %s as a check", format, format.Verify(command))
		}
	}
	for _, format := range []plan.Format{plan.Native, plan.SpecPair, "spec-toml", ""} {
		if got := format.Verify(command); got != "" {
			t.Errorf("%s has the keys of native plans, and is to say %s", format, got)
		}
	}
}
