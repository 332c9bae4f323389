package spec

import (
	"fmt"

	"github.com/planlock/planlock/plan"
)

func stepDuplicate(j *judged, report reporter) {
	j.each(func(h *half) {
		for _, t := range h.tasks {
			first := map[string]*step{}
			for _, s := range t.steps {
				if f := first[s.id]; f == nil {
					first[s.id] = s
				} else {
					report(h, s.at, t.id, s.id, fmt.Sprintf("step %s.%s is there already, in line %d", t.id, s.id,
						h.file.Offset(f.at).Line), "give one of them another id, in both files")
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
			if (&plan.Backup{Description: b.text.text}).OnlyRepeats() {
				report(h, b.at, t.id, s.id, fmt.Sprintf("backup %s of step %s.%s only does the same again: %q", b.id,
					t.id, s.id, shorten(b.text.text)),
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
					report(h, b.at, t.id, s.id, fmt.Sprintf("backup %s of step %s.%s does not say what is done", b.id,
						t.id, s.id), "say what it does differently")
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
					report(h, b.at, t.id, s.id, fmt.Sprintf("step %s.%s has backup %s twice", t.id, s.id, b.id),
						"number the backups of a step 1, 2, 3 in both files")
				}
				seen[b.id] = true
			}
		})
	})
}
