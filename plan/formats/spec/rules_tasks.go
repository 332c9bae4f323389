package spec

import (
	"fmt"

	"github.com/planlock/planlock/plan"
)

func taskRules() []rule {
	return []rule{
		{Rule{Code: "no-tasks", Severity: plan.Error, Explanation: "A goal without a task is a wish: each half has at least one.",
			Edits: []Edit{{markdownSide, exampleTasks, ""}, {tomlSide, exampleTables, ""}}, At: Mark{markdownSide, "# Spec"}, Also: []Mark{{tomlSide, "# Parameters"}}}, noTasks},
		{Rule{Code: "task-duplicate-id", Severity: plan.Error, Explanation: "An id names one task of its half.",
			Edits: []Edit{{markdownSide, "## Bridging", "### Task [2]: Once more\n- **Step [1]:** Write the page\n\n## Bridging"}}, At: Mark{markdownSide, "### Task [2]: Once"}}, taskDuplicate},
		{Rule{Code: "id-missing", Severity: plan.Warning, Explanation: "Tasks and steps have ids; without one they are called by their place, which changes when another is put before.",
			Edits: []Edit{{tomlSide, "[[tasks]]\nid = 2\n", "[[tasks]]\n"}}, At: Mark{tomlSide, "[[tasks]]\ndesc"}}, idMissing},
		{Rule{Code: "task-no-description", Severity: plan.Error, Explanation: "A task says what it is: in Markdown behind its number, in TOML as description or name.",
			Edits: []Edit{{tomlSide, "description = \"Document it\"\n", ""}}, At: Mark{tomlSide, "[[tasks]]\nid = 2"}}, taskNoDescription},
		{Rule{Code: "task-no-steps", Severity: plan.Error, Explanation: "A task without a step has nothing to carry out.",
			Edits: []Edit{{markdownSide, "## Bridging", "### Task [3]: Announce it\n\n## Bridging"}, {tomlSide, "[error_propagation]", "[[tasks]]\nid = 3\ndescription = \"Announce it\"\n\n[error_propagation]"}},
			At:    Mark{markdownSide, "### Task [3]"}, Also: []Mark{{tomlSide, "[[tasks]]\nid = 3"}}}, taskNoSteps},
		{Rule{Code: "task-count-large", Severity: plan.Warning, Explanation: "More than 20 tasks are more than a person keeps in view.",
			Edits: []Edit{{markdownSide, "## Bridging", manyTasks(markdownSide) + "## Bridging"}, {tomlSide, "[error_propagation]", manyTasks(tomlSide) + "[error_propagation]"}},
			At:    Mark{tomlSide, "[[tasks]]\nid = 21"}}, taskCountLarge},
	}
}

func noTasks(j *judged, report reporter) {
	j.each(func(h *half) {
		if len(h.tasks) > 0 {
			return
		}
		hint := "add a heading  ### Task [1]: what is done  and below it  - **Step [1]:** what is done first"
		if h.side == tomlSide {
			hint = "add a table  [[tasks]]  with id and description, and  [[tasks.steps]]  with id, description, expected_output, critical_flag, mode and max_retries"
		}
		report(h, 0, "", "", "there is no task", hint)
	})
}

func taskDuplicate(j *judged, report reporter) {
	j.each(func(h *half) {
		first := map[string]*task{}
		for _, t := range h.tasks {
			if f := first[t.id]; f == nil {
				first[t.id] = t
			} else {
				report(h, t.at, t.id, "", fmt.Sprintf("task %s is there already, in line %d", t.id, h.file.position(f.at).Line), "give one of them another id, in both files")
			}
		}
	})
}

func idMissing(j *judged, report reporter) {
	if j.t == nil {
		return
	}
	for _, t := range j.t.tasks {
		if t.unnamed {
			report(j.t, t.at, t.id, "", "a task has no id; it is taken for task "+t.id, "add  id = "+t.short)
		}
	}
	j.t.steps(func(t *task, s *step) {
		if s.unnamed {
			report(j.t, s.at, t.id, s.id, fmt.Sprintf("a step of task %s has no id; it is taken for step %s", t.id, s.id), "add  id = "+s.id)
		}
	})
}

func taskNoDescription(j *judged, report reporter) {
	j.each(func(h *half) {
		for _, t := range h.tasks {
			if t.title.text != "" {
				continue
			}
			hint := "write the title behind the colon"
			if h.side == tomlSide {
				hint = "add  description = \"…\"" + quoted(j.called(t.id, ""))
			}
			report(h, t.at, t.id, "", fmt.Sprintf("task %s does not say what it is", t.id), hint)
		}
	})
}

// quoted says what the other half calls a thing, where it does.
func quoted(title string) string {
	if title == "" {
		return ""
	}
	return fmt.Sprintf(", as the Markdown does: %q", shorten(title))
}

func taskNoSteps(j *judged, report reporter) {
	j.each(func(h *half) {
		for _, t := range h.tasks {
			if len(t.steps) > 0 {
				continue
			}
			hint := "add  - **Step [1]:** what is done  below its heading"
			if h.side == tomlSide {
				hint = "add  [[tasks.steps]]  below it, with id, description, expected_output, critical_flag, mode and max_retries"
			}
			report(h, t.at, t.id, "", fmt.Sprintf("task %s has no step", t.id), hint)
		}
	})
}

// manyAre more tasks than a plan should have.
const manyAre = 20

func taskCountLarge(j *judged, report reporter) {
	if h := j.main(); h != nil && len(h.tasks) > manyAre {
		report(h, h.tasks[manyAre].at, "", "", fmt.Sprintf("%d tasks are many", len(h.tasks)),
			"put steps that belong together into one task, or split the plan into several")
	}
}
