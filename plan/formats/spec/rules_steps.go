package spec

import (
	"fmt"

	"github.com/planlock/planlock/plan"
)

func stepRules() []rule {
	return []rule{
		{Rule{Code: "step-duplicate-id", Severity: plan.Error, Explanation: "An id names one step of its task. Step 2.3 of task 2 is its step 3.",
			Edits: []Edit{{markdownSide, "### Task [2]", "- **Step [2]:** Once more\n\n### Task [2]"}}, At: Mark{markdownSide, "- **Step [2]:** Once"}}, stepDuplicate},
		{Rule{Code: "step-no-action", Severity: plan.Error, Explanation: "A step says what is done: in Markdown behind its number, in TOML as description or action.",
			Edits: []Edit{{tomlSide, "description = \"Write the page\"\n", ""}}, At: Mark{tomlSide, "[[tasks.steps]]\nid = 1\nexpected_output = \"A page"}}, stepNoAction},
		{Rule{Code: "step-no-expected-output", Severity: plan.Warning, Explanation: "A step says what can be seen when it is done.",
			Edits: []Edit{{tomlSide, "expected_output = \"A page in docs\"\n", ""}}, At: Mark{tomlSide, "[[tasks.steps]]\nid = 1\ndescription = \"Write the page"}}, stepNoOutput},
		{Rule{Code: "critical-step-no-backup", Severity: plan.Warning, Explanation: "Where the goal fails with a step, there is another way to do it.",
			Edits: []Edit{{markdownSide, "  - **Backup [1]:** Generate it from the comments\n", ""}, {tomlSide, "[[tasks.steps.backups]]\nid = 1\ndescription = \"Generate it from the comments\"\n", ""}},
			At:    Mark{tomlSide, "[[tasks.steps]]\nid = 1\ndescription = \"Write the page"}}, criticalNoBackup},
		{Rule{Code: "backup-only-retry", Severity: plan.Warning, Explanation: "A backup is another way to do the step. Doing the same again is what max_retries is for.",
			Edits: []Edit{{markdownSide, "Generate it from the comments", "Try the same step again"}, {tomlSide, "Generate it from the comments", "Try the same step again"}},
			At:    Mark{tomlSide, "[[tasks.steps.backups]]\nid = 1\ndescription = \"Try"}}, backupOnlyRetry},
		{Rule{Code: "backup-no-description", Severity: plan.Warning, Explanation: "A backup says what it does differently.",
			Edits: []Edit{{tomlSide, "description = \"Generate it from the comments\"\n", "trigger_condition = \"primary_failure\"\n"}}, At: Mark{tomlSide, "[[tasks.steps.backups]]\nid = 1\ntrigger"}}, backupEmpty},
		{Rule{Code: "backup-duplicate-id", Severity: plan.Warning, Explanation: "An id names one backup of its step.",
			Edits: []Edit{{markdownSide, "  - **Backup [1]:** Generate", "  - **Backup [1]:** Copy the design\n  - **Backup [1]:** Generate"},
				{tomlSide, "[[tasks.steps.backups]]\nid = 1\ndescription = \"Generate", "[[tasks.steps.backups]]\nid = 1\ndescription = \"Copy the design\"\n[[tasks.steps.backups]]\nid = 1\ndescription = \"Generate"}},
			At: Mark{markdownSide, "- **Backup [1]:** Generate"}, Also: []Mark{{tomlSide, "[[tasks.steps.backups]]\nid = 1\ndescription = \"Generate"}}}, backupDuplicate},
	}
}

func stepDuplicate(j *judged, report reporter) {
	j.each(func(h *half) {
		for _, t := range h.tasks {
			first := map[string]*step{}
			for _, s := range t.steps {
				if f := first[s.id]; f == nil {
					first[s.id] = s
				} else {
					report(h, s.at, t.id, s.id, fmt.Sprintf("step %s.%s is there already, in line %d", t.id, s.id, h.file.position(f.at).Line), "give one of them another id, in both files")
				}
			}
		}
	})
}

func stepNoAction(j *judged, report reporter) {
	j.each(func(h *half) {
		h.steps(func(t *task, s *step) {
			if s.title.text != "" {
				return
			}
			hint := "write what is done behind the colon"
			if h.side == tomlSide {
				hint = "add  description = \"…\"" + quoted(j.called(t.id, s.id))
			}
			report(h, s.at, t.id, s.id, fmt.Sprintf("step %s.%s does not say what is done", t.id, s.id), hint)
		})
	})
}

func stepNoOutput(j *judged, report reporter) {
	h := j.main()
	h.steps(func(t *task, s *step) {
		if s.expected.text != "" {
			return
		}
		hint := "add  - **Expected output:** what can be seen then"
		if h.side == tomlSide {
			hint = `add  expected_output = "…", what can be seen then`
		}
		report(h, s.at, t.id, s.id, fmt.Sprintf("step %s.%s does not say what it brings about", t.id, s.id), hint)
	})
}

func criticalNoBackup(j *judged, report reporter) {
	h := j.main()
	h.steps(func(t *task, s *step) {
		if s.critical.value == nil || !*s.critical.value || len(s.backups) > 0 {
			return
		}
		hint := "add  - **Backup [1]:** another way to do it"
		if h.side == tomlSide {
			hint = `add  [[tasks.steps.backups]]  with id = 1 and description = "…", another way to do it, in both files`
		}
		report(h, s.at, t.id, s.id, fmt.Sprintf("step %s.%s is critical and has no backup", t.id, s.id), hint)
	})
}

func backupOnlyRetry(j *judged, report reporter) {
	h := j.main()
	h.steps(func(t *task, s *step) {
		for _, b := range s.backups {
			if OnlyRepeats(b.text.text) {
				report(h, b.at, t.id, s.id, fmt.Sprintf("backup %s of step %s.%s only does the same again: %q", b.id, t.id, s.id, shorten(b.text.text)),
					"describe another way, and raise max_retries if trying again helps")
			}
		}
	})
}

func backupEmpty(j *judged, report reporter) {
	j.each(func(h *half) {
		h.steps(func(t *task, s *step) {
			for _, b := range s.backups {
				if b.text.text == "" {
					report(h, b.at, t.id, s.id, fmt.Sprintf("backup %s of step %s.%s does not say what is done", b.id, t.id, s.id), "say what it does differently")
				}
			}
		})
	})
}

func backupDuplicate(j *judged, report reporter) {
	j.each(func(h *half) {
		h.steps(func(t *task, s *step) {
			seen := map[string]bool{}
			for _, b := range s.backups {
				if seen[b.id] {
					report(h, b.at, t.id, s.id, fmt.Sprintf("step %s.%s has backup %s twice", t.id, s.id, b.id), "number the backups of a step 1, 2, 3 in both files")
				}
				seen[b.id] = true
			}
		})
	})
}
