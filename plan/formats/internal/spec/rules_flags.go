package spec

import (
	"github.com/planlock/planlock/plan"
)

// lacking makes a rule of what steps do not say: it is told once for a task of
// which no step says it, since a line on the task mends that.
func lacking(what, key string, lacks func(*task, *step) bool) func(*judged, reporter) {
	return tasks(parameters, func(c spot) {
		var lacking []*step
		for _, s := range c.t.steps {
			if lacks(c.t, s) {
				lacking = append(lacking, s)
			}
		}
		if n := len(lacking); n > 1 && n == len(c.t.steps) {
			c.tell(c.t.at, "add  "+key+"  to each step, or once below [[tasks]], for all its steps",
				"no step of task %s says %s", c.t.id, what)
			return
		}
		for _, s := range lacking {
			c.of(c.t, s).tell(s.at, "add  "+key, "step %s.%s does not say %s", c.t.id, s.id, what)
		}
	})
}

// Each step says whether the goal fails with it: critical_flag, true or false,
// on the step or for all of them on the task.
func flagMissing(j *judged, report reporter) {
	lacking("whether it is critical", "critical_flag = true", func(t *task, s *step) bool {
		f := s.flagOf(t)
		return f.value == nil && f.odd == ""
	})(j, report)
	steps(parameters, func(c spot) {
		if f := c.s.flagOf(c.t); f.odd != "" {
			c.tell(f.at, "write  critical_flag = true  or false, without quotes", "critical_flag of step %s is %s",
				c.step(), f.odd)
		}
	})(j, report)
}

// A mode is silent, collaborative, dynamic or education.
func modeInvalid(c spot) {
	if m := c.s.modeOf(c.t); m.ok && m.text != "" && modeOf(m.text) == "" {
		c.tell(m.at, "write silent, collaborative, dynamic or education", "step %s has the mode %q", c.step(),
			shorten(m.text))
	}
}

// Steps are silent or collaborative by the letter of the format; dynamic and
// education are understood as well.
func modeOther(c spot) {
	said := c.s.modeOf(c.t)
	if m := modeOf(said.text); m == plan.Dynamic || m == plan.Education {
		c.tell(said.at, "write silent, or collaborative where a person decides",
			"step %s has the mode %q, which belongs to a run", c.step(), m)
	}
}

// Each step says whether a person is asked: mode, on the step or for all of
// them on the task.
func modeUnsaid(t *task, s *step) bool { return !s.modeOf(t).ok }

// Each step says how often it may be tried again: max_retries, on the step or
// for all of them on the task.
func retriesUnsaid(t *task, s *step) bool {
	n := s.retriesOf(t)
	return n.value == nil && n.odd == ""
}

// max_retries is a whole number from 0.
func retriesNegative(c spot) {
	switch n := c.s.retriesOf(c.t); {
	case n.odd != "":
		c.tell(n.at, "write a whole number from 0, without quotes", "max_retries of step %s is %s", c.step(), n.odd)
	case n.value != nil && *n.value < 0:
		c.tell(n.at, "write 0 where it may not be tried again", "step %s may be tried again %d times", c.step(),
			*n.value)
	}
}
