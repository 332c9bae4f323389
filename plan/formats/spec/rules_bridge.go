package spec

import (
	"fmt"
	"slices"
	"strings"
)

// shifted reports whether two tasks have the same steps by place and title,
// numbered from different numbers.
func shifted(a, b *task) bool {
	if len(a.steps) != len(b.steps) || len(a.steps) == 0 {
		return false
	}
	by, known := 0, false
	for i, s := range a.steps {
		t := b.steps[i]
		d, ok := distance(s.id, t.id)
		if !ok || d == 0 || known && d != by || !sameText(s.title.text, t.title.text) {
			return false
		}
		by, known = d, true
	}
	return true
}

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
	if !j.both() {
		return nil
	}
	return slices.DeleteFunc(pairTasks(j.m, j.t), func(p pairing[task]) bool {
		return p.first == nil ||
			p.second == nil
	})
}

func taskNotInTOML(j *judged, report reporter) {
	if !j.both() {
		return
	}
	for _, p := range pairTasks(j.m, j.t) {
		if p.second == nil {
			report(j.m, p.first.at, p.first.id, "", fmt.Sprintf("task %s is not in %s", p.first.id, j.t.file.Name),
				fmt.Sprintf("add  [[tasks]]  with  id = %s  there, or take the task out here", p.first.id))
		}
	}
}

func taskNotInMarkdown(j *judged, report reporter) {
	if !j.both() {
		return
	}
	for _, p := range pairTasks(j.m, j.t) {
		if p.first == nil {
			report(j.t, p.second.at, p.second.id, "", fmt.Sprintf("task %s is not in %s", p.second.id, j.m.file.Name),
				fmt.Sprintf("add  ### Task [%s]: %s  there, or take the task out here", p.second.id,
					p.second.title.text))
		}
	}
}

func taskTitles(j *judged, report reporter) {
	for _, p := range j.taskPairs() {
		if a, b := p.first.title, p.second.title; a.text != "" && b.text != "" && !sameText(a.text, b.text) {
			report(j.t, b.at, p.second.id, "", fmt.Sprintf("task %s is called %q here and %q in the Markdown",
				p.second.id, shorten(b.text), shorten(a.text)), "call it the same in both files")
		}
	}
}

func orderDiffers(j *judged, report reporter) {
	pairs := j.taskPairs()
	if i := unordered(pairs, func(t *task) int { return t.at }); i >= 0 {
		report(j.m, pairs[i-1].first.at, pairs[i-1].first.id, "",
			fmt.Sprintf("task %s stands before task %s here, and behind it in the parameters", pairs[i-1].first.id,
				pairs[i].first.id),
			"give the tasks the same order in both files")
	}
	for _, p := range pairs {
		steps := slices.DeleteFunc(pairSteps(p), func(s pairing[step]) bool {
			return s.first == nil ||
				s.second == nil
		})
		if i := unordered(steps, func(s *step) int { return s.at }); i >= 0 {
			report(j.m, steps[i-1].first.at, p.first.id, steps[i-1].first.id,
				fmt.Sprintf("step %s.%s stands before step %s here, and behind it in the parameters", p.first.id,
					steps[i-1].first.id, steps[i].first.id),
				"give the steps the same order in both files")
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

func stepsShifted(j *judged, report reporter) {
	var ids []string
	var first pairing[task]
	for _, p := range j.taskPairs() {
		if shifted(p.first, p.second) {
			if len(ids) == 0 {
				first = p
			}
			ids = append(ids, p.first.id)
		}
	}
	if len(ids) == 0 {
		return
	}
	a, b := first.first.steps[0], first.second.steps[0]
	report(j.m, a.at, first.first.id, "",
		fmt.Sprintf("the steps of task %s begin with %s here and with %s in the parameters", strings.Join(ids, ", "),
			a.id, b.id),
		fmt.Sprintf("number them from %s in both files", b.id))
}
