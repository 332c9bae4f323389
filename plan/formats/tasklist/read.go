package tasklist

import (
	"fmt"
	"path"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

// Bounds of what is read. They keep time and memory for any text small.
const (
	maxText = 8 << 10 // bytes of a line that is searched for names
)

// A reader goes through one file.
type reader struct {
	sketch.Sketch
	t      *outline.Text
	notes  map[string][]string // settings below task_list: ids by what they share
	bodies map[part]*strings.Builder
	items  int // tasks and steps so far
}

// A part is a task, or with a step that is not negative that step of it.
type part struct{ task, step int }

// Read reads a task list; name stands in positions. What is wrong with it is in the draft. The error is a
// *[plan.SizeError].
func Read(name string, text []byte) (*plan.Draft, error) {
	if err := sketch.CheckSize(name, text); err != nil {
		return nil, err
	}
	r := &reader{Sketch: sketch.New(), t: outline.New(name, text), notes: map[string][]string{},
		bodies: map[part]*strings.Builder{}}
	r.Plan.Meta.Name = strings.TrimSuffix(path.Base(strings.ReplaceAll(name, `\`, "/")), path.Ext(name))
	format := r.format(name)
	switch format {
	case plan.SpecKit:
		r.specKit()
	case plan.Kiro, plan.OpenSpec:
		r.numbered(format)
	case plan.TaskMaster:
		r.taskMaster()
	case plan.Beads:
		r.beads()
	case plan.ExecPlan:
		r.execPlan()
	case plan.Superpowers:
		r.superpowers()
	default:
		r.Report("no-tasks", plan.Error, r.t.At(0), "", "this is no task list that is known",
			"write items as  - [ ] T001 text  or  - [ ] 1. text")
	}
	r.finish()
	r.goal()
	r.references()
	r.settings()
	return r.Draft(format, plan.Text{Path: name, Text: text}), nil
}

// describe adds a line to what a task says, or a step of it.
func (r *reader) describe(task, step int, line string) {
	b := r.bodies[part{task, step}]
	if b == nil {
		b = &strings.Builder{}
		r.bodies[part{task, step}] = b
	}
	b.WriteString(strings.TrimRight(line, " \t") + "\n")
}

// finish gives tasks and steps what was found below them. A task that has no
// mark of its own is as far as its steps are.
func (r *reader) finish() {
	for i := range r.Plan.Tasks {
		t := &r.Plan.Tasks[i]
		if t.Status == "" {
			t.Status = ofSteps(t.Steps)
		}
		if b := r.bodies[part{i, -1}]; b != nil {
			t.Description = strings.Trim(t.Description+"\n"+b.String(), "\n")
		}
		for j := range t.Steps {
			if t.Steps[j].Status == "" {
				t.Steps[j].Status = plan.Open
			}
			if b := r.bodies[part{i, j}]; b != nil {
				t.Steps[j].Prompt = strings.Trim(t.Steps[j].Description+"\n\n"+strings.Trim(b.String(), "\n"), "\n")
			}
		}
	}
}

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
func (r *reader) full(at plan.Position) bool {
	if r.items < sketch.MaxTasks {
		return false
	}
	r.Report("too-many-tasks", plan.Error, at, "",
		fmt.Sprintf("the list has more than %d items; the rest is not read", sketch.MaxTasks), "split the list up")
	return true
}

// irregular reports a checkbox that fits no form. It is kept.
func (r *reader) irregular(line int, kept, hint string) {
	r.Report("item-irregular", plan.Warning, r.t.At(line), "",
		"the checkbox has no id in the form of the others; it is kept "+kept, hint)
}

// goal takes the goal of a Markdown list from its title.
func (r *reader) goal() {
	if r.Plan.Goal != "" {
		return
	}
	r.Places["goal"] = r.t.At(0)
	for i := range r.t.Lines {
		if r.t.Lines[i].Hidden {
			continue
		}
		if level, text := outline.Heading(r.t.Line(i)); level == 1 {
			for _, prefix := range []string{"Tasks:", "Implementation Plan:", "Implementation Tasks:"} {
				text = strings.TrimSpace(strings.TrimPrefix(text, prefix))
			}
			r.Plan.Goal, r.Places["goal"] = text, r.t.At(i)
			return
		}
	}
}

// note remembers that an item has something in common with others, for the
// settings.
func (r *reader) note(key, id string) { r.notes[key] = append(r.notes[key], id) }

func (r *reader) settings() {
	for key, ids := range r.notes {
		r.Plan.Settings = append(r.Plan.Settings, plan.Setting{Key: "task_list." + key, Value: sketch.Texts(ids)})
	}
}
