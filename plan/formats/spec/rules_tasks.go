package spec

import "fmt"

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
				report(h, t.at, t.id, "", fmt.Sprintf("task %s is there already, in line %d", t.id,
					h.file.Offset(f.at).Line), "give one of them another id, in both files")
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
			report(j.t, s.at, t.id, s.id, fmt.Sprintf("a step of task %s has no id; it is taken for step %s", t.id,
				s.id), "add  id = "+s.id)
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
