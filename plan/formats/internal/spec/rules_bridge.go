package spec

import (
	"fmt"
	"slices"
	"strings"
)

// shifted reports whether two tasks have the same steps by place and title,
// numbered from different numbers.
func shifted(a, b *task) bool {
	return shiftedLists(a.steps, b.steps, func(s *step) (string, string) { return s.id, s.title.text })
}

// tasksShifted reports the same of the tasks of two files.
func tasksShifted(a, b *half) bool {
	return shiftedLists(a.tasks, b.tasks, func(t *task) (string, string) { return t.id, t.title.text })
}

// shiftedLists reports whether two lists are the same by place and title, with
// ids that are numbers and differ by the same.
func shiftedLists[T any](a, b []*T, of func(*T) (id, title string)) bool {
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	by, known := 0, false
	for i := range a {
		id, title := of(a[i])
		other, called := of(b[i])
		d, ok := distance(id, other)
		if !ok || d == 0 || known && d != by || !sameText(title, called) {
			return false
		}
		by, known = d, true
	}
	return true
}

// distance is the difference of two ids that are numbers of at most six
// digits.
func distance(a, b string) (int, bool) {
	if !isNumber(a) || !isNumber(b) || len(a) > 6 || len(b) > 6 {
		return 0, false
	}
	var x, y int
	fmt.Sscan(strings.TrimLeft(a, "0")+" ", &x)
	fmt.Sscan(strings.TrimLeft(b, "0")+" ", &y)
	return x - y, true
}

// taskPairs are the tasks that both halves have.
func (j *judged) taskPairs() []pairing[task] {
	return slices.DeleteFunc(pairTasks(j.m, j.t), func(p pairing[task]) bool {
		return p.first == nil ||
			p.second == nil
	})
}

// Every task of the Markdown has a table in the parameters, by id.
func taskNotInTOML(c spot) {
	for _, p := range pairTasks(c.m, c.judged.t) {
		if p.second == nil {
			c.in(c.m).of(p.first, nil).tell(p.first.at,
				fmt.Sprintf("add  [[tasks]]  with  id = %s  there, or take the task out here", p.first.id),
				"task %s is not in %s", p.first.id, c.h.file.Name)
		}
	}
}

// Every task of the parameters has a heading in the Markdown, by id.
func taskNotInMarkdown(c spot) {
	for _, p := range pairTasks(c.m, c.judged.t) {
		if p.first == nil {
			c.of(p.second, nil).tell(p.second.at,
				fmt.Sprintf("add  ### Task [%s]: %s  there, or take the task out here", p.second.id,
					p.second.title.text),
				"task %s is not in %s", p.second.id, c.m.file.Name)
		}
	}
}

// A task is called the same in both files.
func taskTitles(c spot) {
	for _, p := range c.taskPairs() {
		if a, b := p.first.title, p.second.title; a.text != "" && b.text != "" && !sameText(a.text, b.text) {
			c.of(p.second, nil).tell(b.at, "call it the same in both files",
				"task %s is called %q here and %q in the Markdown", p.second.id, shorten(b.text), shorten(a.text))
		}
	}
}

// Tasks, and the steps of a task, stand in the same order in both files.
func orderDiffers(c spot) {
	const hint = "give the %s the same order in both files"
	pairs := c.taskPairs()
	if i := unordered(pairs, func(t *task) int { return t.at }); i >= 0 {
		before, after := pairs[i-1].first, pairs[i].first
		c.in(c.m).of(before, nil).tell(before.at, fmt.Sprintf(hint, "tasks"),
			"task %s stands before task %s here, and behind it in the parameters", before.id, after.id)
	}
	for _, p := range pairs {
		steps := slices.DeleteFunc(pairSteps(p), func(s pairing[step]) bool {
			return s.first == nil ||
				s.second == nil
		})
		if i := unordered(steps, func(s *step) int { return s.at }); i >= 0 {
			before, after := steps[i-1].first, steps[i].first
			c.in(c.m).of(p.first, before).tell(before.at, fmt.Sprintf(hint, "steps"),
				"step %s.%s stands before step %s.%s here, and behind it in the parameters", p.first.id, before.id,
				p.first.id, after.id)
		}
	}
}

// unordered finds the first pair that stands before its neighbour in the second
// file, or -1.
func unordered[T any](pairs []pairing[T], at func(*T) int) int {
	for i := 1; i < len(pairs); i++ {
		if at(pairs[i].second) < at(pairs[i-1].second) {
			return i
		}
	}
	return -1
}

// Both files count the tasks from the same number: they are matched by place
// then, and what follows from it is not told.
func tasksShiftedOnce(c spot) {
	if tasksShifted(c.m, c.judged.t) {
		a, b := c.m.tasks[0], c.judged.t.tasks[0]
		c.in(c.m).of(a, nil).tell(a.at, fmt.Sprintf("number them from %s in both files", b.id),
			"the tasks begin with %s here and with %s in the parameters", a.id, b.id)
	}
}

// Both files count the steps of a task from the same number. Where one begins
// at 0 and the other at 1, every step is compared with its neighbour; they are
// matched by place then, and reported once.
func stepsShifted(c spot) {
	var ids []string
	var first pairing[task]
	for _, p := range c.taskPairs() {
		if shifted(p.first, p.second) {
			if len(ids) == 0 {
				first = p
			}
			ids = append(ids, p.first.id)
		}
	}
	if len(ids) > 0 {
		plural := map[bool]string{false: "task", true: "tasks"}
		a, b := first.first.steps[0], first.second.steps[0]
		c.in(c.m).of(first.first, nil).tell(a.at, fmt.Sprintf("number them from %s in both files", b.id),
			"the steps of %s %s begin with %s here and with %s in the parameters", plural[len(ids) > 1],
			strings.Join(ids, ", "), a.id, b.id)
	}
}
