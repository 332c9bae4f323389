package spec

import "fmt"

// A stepPairing is a step of the tasks that both halves have; it may be missing
// in one.
type stepPairing struct {
	task pairing[task]
	step pairing[step]
}

// stepPairs calls f for every step of the tasks that both halves have; either
// may be nil.
func (j *judged) stepPairs(f func(p pairing[task], s pairing[step])) {
	if j.paired == nil {
		j.paired = []stepPairing{}
		for _, p := range j.taskPairs() {
			for _, s := range pairSteps(p) {
				j.paired = append(j.paired, stepPairing{p, s})
			}
		}
	}
	for _, p := range j.paired {
		f(p.task, p.step)
	}
}

// bothSteps calls f for the steps that both halves have.
func (j *judged) bothSteps(f func(t *task, a, b *step)) {
	j.stepPairs(func(p pairing[task], s pairing[step]) {
		if s.first != nil && s.second != nil {
			f(p.second, s.first, s.second)
		}
	})
}

func stepNotInTOML(j *judged, report reporter) {
	j.stepPairs(func(p pairing[task], s pairing[step]) {
		if s.second == nil {
			report(j.m, s.first.at, p.first.id, s.first.id,
				fmt.Sprintf("step %s.%s is not in %s", p.first.id, s.first.id, j.t.file.Name),
				fmt.Sprintf("add  [[tasks.steps]]  with  id = %s  to task %s there, or take the step out here",
					s.first.id, p.first.id))
		}
	})
}

func stepNotInMarkdown(j *judged, report reporter) {
	j.stepPairs(func(p pairing[task], s pairing[step]) {
		if s.first == nil {
			report(j.t, s.second.at, p.first.id, s.second.id,
				fmt.Sprintf("step %s.%s is not in %s", p.first.id, s.second.id, j.m.file.Name),
				fmt.Sprintf("add  - **Step [%s]:** %s  to task %s there, or take the step out here", s.second.id,
					s.second.title.text, p.first.id))
		}
	})
}

// surplus finds the backups that a step has in one half and not in the other:
// those whose id the other does not have, and at least as many as are more.
func surplus(mine, other []*backup) []*backup {
	if len(mine) <= len(other) {
		return nil
	}
	known := map[string]bool{}
	for _, o := range other {
		known[o.id] = true
	}
	var list []*backup
	for _, b := range mine {
		if !known[b.id] {
			list = append(list, b)
		}
	}
	more := len(mine) - len(other)
	if len(list) < more {
		return mine[len(other):]
	}
	return list[len(list)-more:]
}

func backupNotInTOML(j *judged, report reporter) {
	j.bothSteps(func(t *task, a, b *step) {
		for _, extra := range surplus(a.backups, b.backups) {
			report(j.m, extra.at, t.id, b.id, fmt.Sprintf("backup %s of step %s.%s is not in %s", extra.id, t.id, b.id,
				j.t.file.Name),
				fmt.Sprintf("add  [[tasks.steps.backups]]  with  id = %s  and its description there", extra.id))
		}
	})
}

func backupNotInMarkdown(j *judged, report reporter) {
	j.bothSteps(func(t *task, a, b *step) {
		for _, extra := range surplus(b.backups, a.backups) {
			report(j.t, extra.at, t.id, b.id, fmt.Sprintf("backup %s of step %s.%s is not in %s", extra.id, t.id, b.id,
				j.m.file.Name),
				fmt.Sprintf("add  - **Backup [%s]:** %s  there", extra.id, shorten(extra.text.text)))
		}
	})
}

func backupIDs(j *judged, report reporter) {
	j.bothSteps(func(t *task, a, b *step) {
		if len(a.backups) != len(b.backups) {
			return
		}
		for i, x := range a.backups {
			if y := b.backups[i]; x.id != y.id {
				report(j.m, x.at, t.id, b.id, fmt.Sprintf("backup %s of step %s.%s is backup %s in the parameters",
					x.id, t.id, b.id, y.id), "number it the same in both files")
			}
		}
	})
}

func stepTitles(j *judged, report reporter) {
	j.bothSteps(func(t *task, a, b *step) {
		if a.title.text != "" && b.title.text != "" && !sameText(a.title.text, b.title.text) {
			report(j.t, b.title.at, t.id, b.id, fmt.Sprintf("step %s.%s is called %q here and %q in the Markdown", t.id,
				b.id, shorten(b.title.text), shorten(a.title.text)), "call it the same in both files")
		}
	})
}

func outputsDiffer(j *judged, report reporter) {
	j.bothSteps(func(t *task, a, b *step) {
		if a.expected.text != "" && b.expected.text != "" && !sameText(a.expected.text, b.expected.text) {
			report(j.t, b.expected.at, t.id, b.id,
				fmt.Sprintf("of step %s.%s, %q is expected here and %q in the Markdown", t.id, b.id,
					shorten(b.expected.text), shorten(a.expected.text)),
				"expect the same in both files")
		}
	})
}

func criticalDiffers(j *judged, report reporter) {
	j.bothSteps(func(t *task, a, b *step) {
		f := b.flagOf(t)
		if x, y := a.critical.value, f.value; x != nil && y != nil && *x != *y {
			report(j.t, f.at, t.id, b.id, fmt.Sprintf("step %s.%s has critical_flag = %t here and %t in the Markdown",
				t.id, b.id, *y, *x), "decide, and write the same in both files")
		}
	})
}

func modesDiffer(j *judged, report reporter) {
	j.bothSteps(func(t *task, a, b *step) {
		m := b.modeOf(t)
		if x, y := modeOf(a.mode.text), modeOf(m.text); x != "" && y != "" && x != y {
			report(j.t, m.at, t.id, b.id, fmt.Sprintf("step %s.%s is %s here and %s in the Markdown", t.id, b.id, y, x),
				"decide, and write the same in both files")
		}
	})
}
