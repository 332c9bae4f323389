package tasklist

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// A superpowers reads tasks that are headings, with steps that are marked in
// bold.
type superpowers struct{ *list }

// readSuperpowers goes through the lines. A text in a code fence is part of
// the step that it stands in and never a step itself: these plans quote the
// code that is to be written.
func readSuperpowers(l *list) {
	r := &superpowers{l}
	task, level := -1, 0
	files := false
	for i := range r.t.Lines {
		line := r.t.Line(i)
		if r.t.Lines[i].Hidden {
			r.stepText(task, i)
			continue
		}
		if l, text := outline.Heading(line); l > 0 {
			m := taskHead.FindStringSubmatch(text)
			if m != nil && r.full(r.t.At(i)) {
				break
			}
			switch {
			case m != nil:
				task, level, files = r.addTask(plan.Task{ID: strings.TrimRight(m[1], "."),
					Title: strings.TrimSpace(m[2])}, i), l, false
			case l <= level:
				task = -1
			default:
				r.stepText(task, i)
			}
			continue
		}
		m := []string(nil)
		if strings.Contains(line, "**Step") {
			m = stepMark.FindStringSubmatch(line)
		}
		item := r.item(line, level)
		switch {
		case item != nil && r.full(r.t.At(i)):
			return
		case item != nil:
			task, files = r.addTask(plan.Task{ID: strings.TrimRight(item[1], "."),
				Title: strings.TrimSpace(item[2] + " " + item[3])}, i), false
		case task < 0:
			r.headGoal(i, line)
		case m != nil && r.full(r.t.At(i)):
			return
		case m != nil:
			files = false
			r.markedStep(task, i, m)
		case strings.HasPrefix(strings.TrimSpace(line), "**Files"):
			files = true
			r.Plan.Tasks[task].Files = []string{}
		case files && r.fileLine(task, line):
		default:
			files = files && strings.TrimSpace(line) == ""
			r.stepText(task, i)
		}
	}
	for i := range r.Plan.Tasks {
		if len(r.Plan.Tasks[i].Steps) == 0 {
			r.boxSteps(i)
		}
		if len(r.Plan.Tasks[i].Files) > 0 {
			r.Plan.Profile = plan.Scoped // what is named is what may be changed
		}
	}
	r.sameTasks()
	r.apart()
}

// item reads a task that is an item of a numbered list, in a plan whose tasks
// are no headings.
func (r *superpowers) item(line string, level int) []string {
	if level > 0 || !strings.Contains(line, "**Task") {
		return nil
	}
	return taskItem.FindStringSubmatch(line)
}

// headGoal takes the goal from the lines above the first task.
func (r *superpowers) headGoal(i int, line string) {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "**Goal:**"); ok && r.Plan.Goal == "" {
		r.Plan.Goal, r.Places["goal"] = strings.TrimSpace(rest), r.t.At(i)
	}
}

// markedStep adds a step; m is what its mark says.
func (r *superpowers) markedStep(task, line int, m []string) {
	s := plan.Step{ID: strings.TrimRight(m[2], "."), Description: strings.TrimSpace(m[3] + " " + m[4])}
	if m[1] != "" {
		s.Status = statusOfBox([]rune(m[1])[0])
	}
	if s.Description == "" {
		s.Description = "Step " + s.ID
	}
	r.addStep(task, s, r.t.At(line))
}

// stepText adds a line to the last step of a task, or to the task before its
// first.
func (r *superpowers) stepText(task, line int) {
	if task >= 0 {
		r.describe(task, len(r.Plan.Tasks[task].Steps)-1, line)
	}
}

// fileLine reads "- Create: `path`" below Files; files that are only read are
// not the task's.
func (r *superpowers) fileLine(task int, line string) bool {
	it, ok := outline.ListItem(line)
	if !ok {
		return false
	}
	verb, rest, said := strings.Cut(it.Text, ":")
	if !said || strings.ContainsAny(verb, "`/.") {
		verb, rest = "", it.Text
	}
	if v := strings.ToLower(strings.TrimSpace(verb)); v == "read" || v == "reference" || v == "context" {
		return true
	}
	for _, span := range strings.Split(rest, ",") {
		name := strings.TrimSpace(span)
		if from := strings.IndexByte(name, '`'); from >= 0 {
			name, _, _ = strings.Cut(name[from+1:], "`")
		} else {
			name, _, _ = strings.Cut(name, " ")
		}
		if colon := strings.LastIndexByte(name, ':'); colon > 0 {
			name = name[:colon] // line numbers
		}
		if name != "" && !strings.Contains(name, " ") {
			r.Plan.Tasks[task].Files = append(r.Plan.Tasks[task].Files, name)
		}
	}
	return true
}

// boxSteps makes steps of the checkboxes of a task that marks none.
func (r *superpowers) boxSteps(task int) {
	body := r.bodies[part{task, -1}]
	if body == nil {
		return
	}
	from := r.Places[fmt.Sprintf("tasks[%d]", task)].Line
	for i, line := range r.t.Shown(from) {
		if level, _ := outline.Heading(line); level > 0 {
			return
		}
		if it, ok := box(line); ok {
			r.addStep(task, plan.Step{ID: fmt.Sprint(len(r.Plan.Tasks[task].Steps) + 1), Description: it.Text,
				Status: statusOfBox(it.Box)}, r.t.At(i))
		}
	}
}

// apart tells steps apart that would be called alike in the whole plan: 1.1 of
// task 1 is also the address of its step 1.
func (r *superpowers) apart() {
	uses := map[string]int{}
	for pass := range 2 {
		for i := range r.Plan.Tasks {
			t := &r.Plan.Tasks[i]
			for j := range t.Steps {
				s := &t.Steps[j]
				address := t.ID + "." + strings.TrimPrefix(s.ID, t.ID+".")
				if pass == 0 {
					uses[address]++
				} else if uses[address] > 1 {
					s.ID = strings.ReplaceAll(s.ID, ".", "-")
				}
			}
		}
	}
}

// sameTasks reports ids that stand twice.
func (r *superpowers) sameTasks() {
	seen := map[string]bool{}
	for i := range r.Plan.Tasks {
		t := &r.Plan.Tasks[i]
		steps := map[string]bool{}
		for j, s := range t.Steps {
			if steps[s.ID] {
				r.Report("step-duplicate-id", plan.Warning, r.Places[fmt.Sprintf("tasks[%d].steps[%d]", i, j)], t.ID,
					fmt.Sprintf("task %s has two steps %s", t.ID, s.ID), "number the steps one after the other")
			}
			steps[s.ID] = true
		}
		if seen[t.ID] {
			r.Report("task-duplicate-id", plan.Error, r.Places[fmt.Sprintf("tasks[%d]", i)], t.ID, fmt.Sprintf("there are two tasks %s", t.ID), "give each task a number of its own")
		}
		seen[t.ID] = true
	}
}
