package tasklist

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

// A list is a plan that is gathered item by item. Times and memory that it takes
// grow with the length of the text, and items are bounded.
type list struct {
	sketch.Sketch
	t      *outline.Text
	notes  map[string][]string // settings below task_list: ids by what they share
	bodies map[part]*body
	words  map[part][]string // what people look at when a step is done
	fence  outline.Fence     // of the code that was passed last
	below  bool              // that code stands below an item
	items  int               // tasks and steps so far
	wave   string            // that a task belongs to that comes next and may run beside others; "" begins one
}

// A part is a task, or with a step that is not negative that step of it.
type part struct{ task, step int }

// A body is what stands below a task or a step.
type body struct {
	text  strings.Builder
	lines []int // of the file, from 0
}

// addTask adds a task that stands on a line, and returns its index.
func (l *list) addTask(t plan.Task, line int) int { return l.addTaskAt(t, l.t.At(line)) }

// addTaskAt adds a task that stands at a place, and returns its index.
func (l *list) addTaskAt(t plan.Task, at plan.Position) int {
	i := len(l.Plan.Tasks)
	l.items++
	l.wave = t.Wave
	l.Places[fmt.Sprintf("tasks[%d]", i)] = at
	l.Plan.Tasks = append(l.Plan.Tasks, t)
	return i
}

// addStep adds a step to a task.
func (l *list) addStep(task int, s plan.Step, at plan.Position) {
	t := &l.Plan.Tasks[task]
	l.items++
	l.Places[fmt.Sprintf("tasks[%d].steps[%d]", task, len(t.Steps))] = at
	t.Steps = append(t.Steps, s)
}

// detail adds a line to the text below a task if it is indented.
func (l *list) detail(task, line int) {
	text := l.t.Line(line)
	if task < 0 || strings.TrimSpace(text) == "" || outline.Width(text) == 0 {
		return
	}
	l.describe(task, -1, line)
}

// code adds a line of a code block, or its mark, to the text below a task or a
// step if the block stands deeper than that. It is given every line that is
// hidden; comments are no code.
func (l *list) code(at part, indent, line int) {
	if !l.t.Lines[line].Code {
		return
	}
	text := l.t.Line(line)
	if _, opens := l.fence.Opens(text); opens >= 0 {
		l.below = at.task >= 0 && outline.Width(text) > indent
	}
	if l.below {
		l.describe(at.task, at.step, line)
	}
}

// describe adds a line to the text below a task or a step. The text is put
// together when all lines are read, so that many lines cost no more than their
// length.
func (l *list) describe(task, step, line int) {
	b := l.body(part{task, step})
	b.text.WriteString(strings.TrimRight(l.t.Line(line), " \t") + "\n")
	b.lines = append(b.lines, line)
}

// body is what stands below a task or a step.
func (l *list) body(at part) *body {
	b := l.bodies[at]
	if b == nil {
		b = &body{}
		l.bodies[at] = b
	}
	return b
}

// finish gives tasks and steps what was found below them. A task that has no
// mark of its own is as far as its steps are.
func (l *list) finish() {
	for i := range l.Plan.Tasks {
		t := &l.Plan.Tasks[i]
		if t.Status == "" {
			t.Status = ofSteps(t.Steps)
		}
		if b := l.bodies[part{i, -1}]; b != nil {
			t.Description = strings.Trim(t.Description+"\n"+b.text.String(), "\n")
		}
		for j := range t.Steps {
			if t.Steps[j].Status == "" {
				t.Steps[j].Status = plan.Open
			}
			if b := l.bodies[part{i, j}]; b != nil {
				text := strings.Trim(b.text.String(), "\n")
				t.Steps[j].Prompt = strings.Trim(t.Steps[j].Description+"\n\n"+text, "\n")
			}
		}
	}
}

// ofSteps is the status of a task that has none of its own: done if all of its
// steps are.
func ofSteps(steps []plan.Step) plan.Status {
	done, begun := 0, false
	for _, s := range steps {
		if s.Status == plan.Done {
			done++
		}
		begun = begun || s.Status == plan.InProgress
	}
	switch {
	case done > 0 && done == len(steps):
		return plan.Done
	case done > 0 || begun:
		return plan.InProgress
	}
	return plan.Open
}

// full reports that a list has as many items as are read.
func (l *list) full(at plan.Position) bool {
	if l.items < sketch.MaxTasks {
		return false
	}
	l.Report("too-many-tasks", plan.Error, at, "",
		fmt.Sprintf("the list has more than %d items; the rest is not read", sketch.MaxTasks), "split the list up")
	return true
}

// irregular reports a checkbox that fits no form. It is kept.
func (l *list) irregular(line int, kept, hint string) {
	l.Report("item-irregular", plan.Warning, l.t.At(line), "",
		"the checkbox has no id in the form of the others; it is kept "+kept, hint)
}

// goal takes the goal of a Markdown list from its title.
func (l *list) goal() {
	if l.Plan.Goal != "" {
		return
	}
	l.Places["goal"] = l.t.At(0)
	for i, line := range l.t.Shown(0) {
		if level, text := outline.Heading(line); level == 1 {
			for _, prefix := range []string{"Tasks:", "Implementation Plan:", "Implementation Tasks:"} {
				text = strings.TrimSpace(strings.TrimPrefix(text, prefix))
			}
			l.Plan.Goal, l.Places["goal"] = text, l.t.At(i)
			return
		}
	}
}

// beside says of the next task that it may run beside others. It is of one wave
// with those around it that may, too: what may not, and a heading, ends a wave.
// A wave is called like its first task, so that what is added elsewhere leaves
// its name alone.
func (l *list) beside(t *plan.Task) {
	t.Wave = cmp.Or(l.wave, t.ID)
}

// note remembers that an item has something in common with others, for the
// settings.
func (l *list) note(key, id string) { l.notes[key] = append(l.notes[key], id) }

// settings keeps the notes with the plan, so that a conversion loses nothing.
func (l *list) settings() {
	for key, ids := range l.notes {
		l.Plan.Settings = append(l.Plan.Settings, plan.Setting{Key: "task_list." + key, Value: sketch.Texts(ids)})
	}
}

// references judges what items say about each other. Lists are cut from larger
// ones, so a name that is not there only warns.
func (l *list) references() {
	at := map[string]int{}
	for i, t := range l.Plan.Tasks {
		if first, ok := at[t.ID]; ok && strings.HasPrefix(t.ID, "T") {
			l.Report("task-duplicate-id", plan.Error, l.Places[fmt.Sprintf("tasks[%d]", i)], t.ID,
				fmt.Sprintf("there are two tasks %s, the first on line %d", t.ID,
					l.Places[fmt.Sprintf("tasks[%d]", first)].Line), "give each task an id of its own")
			continue
		}
		if _, ok := at[t.ID]; !ok {
			at[t.ID] = i
		}
	}
	for i, t := range l.Plan.Tasks {
		for _, name := range t.DependsOn {
			if _, ok := at[name]; ok || l.isStep(at, name) {
				continue
			}
			l.Report("task-dep-unknown", plan.Warning, l.dependsAt(i), t.ID,
				fmt.Sprintf("task %s depends on %q, which is not in this list", t.ID, name),
				"name an item of the list, or take the dependency out")
		}
	}
	l.Cycles(&l.Plan, func(task string) plan.Position { return l.dependsAt(at[task]) })
}

// isStep reports whether a name is that of a step of a task, as in 7.2.
func (l *list) isStep(at map[string]int, name string) bool {
	top, step, _ := strings.Cut(name, ".")
	i, ok := at[top]
	return ok && slices.ContainsFunc(l.Plan.Tasks[i].Steps, func(s plan.Step) bool { return s.ID == step })
}

// dependsAt is where the i-th task says what it depends on, or else the task.
func (l *list) dependsAt(i int) plan.Position {
	if p, ok := l.Places[fmt.Sprintf("tasks[%d].depends_on", i)]; ok {
		return p
	}
	return l.Places[fmt.Sprintf("tasks[%d]", i)]
}
