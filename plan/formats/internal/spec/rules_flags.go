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
	const hint = "write  critical_flag = true  or false, without quotes"
	tasks(parameters, func(c spot) {
		if f := c.t.critical; f.odd != "" {
			c.tell(f.at, hint, "critical_flag of task %s is %s", c.t.id, f.odd)
		}
	})(j, report)
	steps(parameters, func(c spot) {
		if f := c.s.critical; f.odd != "" {
			c.tell(f.at, hint, "critical_flag of step %s is %s", c.step(), f.odd)
		}
	})(j, report)
}

// A mode is silent, collaborative, dynamic or education.
func modeInvalid(j *judged, report reporter) {
	judge := func(c spot, m said, of string) {
		if m.ok && m.text != "" && modeOf(m.text) == "" {
			c.tell(m.at, "write silent, collaborative, dynamic or education", "%s has the mode %q", of, shorten(m.text))
		}
	}
	tasks(anyHalf, func(c spot) { judge(c, c.t.mode, "task "+c.t.id) })(j, report)
	steps(anyHalf, func(c spot) { judge(c, c.s.mode, "step "+c.step()) })(j, report)
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
func retriesNegative(j *judged, report reporter) {
	judge := func(c spot, n number, of string) {
		switch {
		case n.odd != "":
			c.tell(n.at, "write a whole number from 0, without quotes", "max_retries of %s is %s", of, n.odd)
		case n.value != nil && *n.value < 0:
			c.tell(n.at, "write 0 where it may not be tried again", "%s may be tried again %d times", of, *n.value)
		}
	}
	tasks(parameters, func(c spot) { judge(c, c.t.retries, "task "+c.t.id) })(j, report)
	steps(parameters, func(c spot) { judge(c, c.s.retries, "step "+c.step()) })(j, report)
}
