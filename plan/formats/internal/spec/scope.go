package spec

import "fmt"

// A spot is what a rule looks at: a half of a pair, with a task and a step of it
// where the rule is about those.
type spot struct {
	*judged
	h      *half
	t      *task
	s      *step
	report reporter
}

// tell reports at an offset of the half, for the task and the step of the spot.
func (c spot) tell(at int, hint, format string, args ...any) {
	task, step := "", ""
	if c.t != nil {
		task = c.t.id
	}
	if c.s != nil {
		step = c.s.id
	}
	c.report(c.h, at, task, step, fmt.Sprintf(format, args...), hint)
}

// in is the same spot in another half.
func (c spot) in(h *half) spot {
	c.h = h
	return c
}

// of is the spot of another task and step; either may be nil.
func (c spot) of(t *task, s *step) spot {
	c.t, c.s = t, s
	return c
}

// step is how the step of the spot is called, as in 2.3.
func (c spot) step() string { return c.t.id + "." + c.s.id }

// A choice says which halves a rule looks at. None is nil.
type choice func(*judged) []*half

// some leaves of halves those that can be judged.
func some(halves ...*half) []*half {
	var list []*half
	for _, h := range halves {
		if h != nil {
			list = append(list, h)
		}
	}
	return list
}

// anyHalf chooses both halves, the Markdown first.
func anyHalf(j *judged) []*half { return some(j.m, j.t) }

// markdown chooses the half for people alone.
func markdown(j *judged) []*half { return some(j.m) }

// parameters chooses the half for machines alone.
func parameters(j *judged) []*half { return some(j.t) }

// mainHalf is the half whose flags and outputs count: the parameters where there
// are any.
func mainHalf(j *judged) []*half {
	if j.toml != nil {
		return some(j.t)
	}
	return some(j.m)
}

// grouped is the half whose SPECLets count, where there are any.
func grouped(j *judged) []*half {
	for _, h := range mainHalf(j) {
		if len(h.speclets) > 0 {
			return some(h)
		}
	}
	return nil
}

// halves makes a rule of one about each half that is chosen.
func halves(of choice, judge func(spot)) func(*judged, reporter) {
	return func(j *judged, report reporter) {
		for _, h := range of(j) {
			judge(spot{judged: j, h: h, report: report})
		}
	}
}

// tasks makes a rule of one about each task of the halves that are chosen.
func tasks(of choice, judge func(spot)) func(*judged, reporter) {
	return halves(of, func(c spot) {
		for _, t := range c.h.tasks {
			judge(c.of(t, nil))
		}
	})
}

// steps makes a rule of one about each step of the halves that are chosen.
func steps(of choice, judge func(spot)) func(*judged, reporter) {
	return tasks(of, func(c spot) {
		for _, s := range c.t.steps {
			judge(c.of(c.t, s))
		}
	})
}

// pairs makes a rule of one about both halves; the spot is in the parameters.
func pairs(judge func(spot)) func(*judged, reporter) {
	return func(j *judged, report reporter) {
		if j.both() {
			judge(spot{judged: j, h: j.t, report: report})
		}
	}
}

// stepsOfBoth makes a rule of one about each step that both halves have: a is
// that of the Markdown, b that of the parameters, where the spot is.
func stepsOfBoth(judge func(c spot, a, b *step)) func(*judged, reporter) {
	return pairs(func(c spot) {
		for _, p := range c.stepPairs() {
			if a, b := p.step.first, p.step.second; a != nil && b != nil {
				judge(c.of(p.task.second, b), a, b)
			}
		}
	})
}
