package spec

import (
	"fmt"

	"github.com/planlock/planlock/plan"
)

// lacking reports what steps do not say: once for a task of which no step says
// it, since a line on the task mends that.
func (j *judged) lacking(report reporter, what, key string, lacks func(*task, *step) bool) {
	h := j.t
	if h == nil {
		return
	}
	for _, t := range h.tasks {
		var steps []*step
		for _, s := range t.steps {
			if lacks(t, s) {
				steps = append(steps, s)
			}
		}
		if n := len(steps); n > 1 && n == len(t.steps) {
			report(h, t.at, t.id, "", fmt.Sprintf("no step of task %s says %s", t.id, what),
				fmt.Sprintf("add  %s  to each step, or once below [[tasks]], for all its steps", key))
			continue
		}
		for _, s := range steps {
			report(h, s.at, t.id, s.id, fmt.Sprintf("step %s.%s does not say %s", t.id, s.id, what), "add  "+key)
		}
	}
}

func flagMissing(j *judged, report reporter) {
	j.lacking(report, "whether it is critical", "critical_flag = true", func(t *task, s *step) bool {
		f := s.flagOf(t)
		return f.value == nil && f.odd == ""
	})
	j.t.steps(func(t *task, s *step) {
		if f := s.flagOf(t); f.odd != "" {
			report(j.t, f.at, t.id, s.id, fmt.Sprintf("critical_flag of step %s.%s is %s", t.id, s.id, f.odd),
				"write  critical_flag = true  or false, without quotes")
		}
	})
}

func modeMissing(j *judged, report reporter) {
	j.lacking(report, "its mode", `mode = "silent"`, func(t *task, s *step) bool { return !s.modeOf(t).ok })
}

func modeInvalid(j *judged, report reporter) {
	h := j.main()
	h.steps(func(t *task, s *step) {
		if m := s.modeOf(t); m.ok && m.text != "" && modeOf(m.text) == "" {
			report(h, m.at, t.id, s.id, fmt.Sprintf("step %s.%s has the mode %q", t.id, s.id, shorten(m.text)),
				"write silent, collaborative, dynamic or education")
		}
	})
}

func modeOther(j *judged, report reporter) {
	j.t.steps(func(t *task, s *step) {
		if m := modeOf(s.modeOf(t).text); m == plan.Dynamic || m == plan.Education {
			report(j.t, s.modeOf(t).at, t.id, s.id,
				fmt.Sprintf("step %s.%s has the mode %q, which belongs to a run", t.id, s.id,
					m), "write silent, or collaborative where a person decides")
		}
	})
}

func retriesMissing(j *judged, report reporter) {
	j.lacking(report, "how often it may be tried again", "max_retries = 2", func(t *task, s *step) bool {
		n := s.retriesOf(t)
		return n.value == nil && n.odd == ""
	})
}

func retriesNegative(j *judged, report reporter) {
	j.t.steps(func(t *task, s *step) {
		n := s.retriesOf(t)
		switch {
		case n.odd != "":
			report(j.t, n.at, t.id, s.id, fmt.Sprintf("max_retries of step %s.%s is %s", t.id, s.id, n.odd),
				"write a whole number from 0, without quotes")
		case n.value != nil && *n.value < 0:
			report(j.t, n.at, t.id, s.id, fmt.Sprintf("step %s.%s may be tried again %d times", t.id, s.id, *n.value),
				"write 0 where it may not be tried again")
		}
	})
}
