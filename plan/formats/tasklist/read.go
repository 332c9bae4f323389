package tasklist

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// Bounds of what is read. They keep time and memory for any text small.
const (
	maxSize  = 16 << 20 // bytes of a file
	maxItems = 12_000   // of a list
	maxFound = 1000     // diagnostics
	maxText  = 8 << 10  // bytes of a line that is searched for names
)

// A reader goes through one file.
type reader struct {
	t      *outline.Text
	p      plan.Plan
	places map[string]plan.Position
	found  []plan.Diagnostic
	notes  map[string][]string // settings below task_list: ids by what they share
	bodies map[part]*strings.Builder
	items  int // tasks and steps so far
}

// A part is a task, or with a step that is not negative that step of it.
type part struct{ task, step int }

// Read reads a task list; name stands in positions. What is wrong with it is in the draft. The error is a *[plan.SizeError].
func Read(name string, text []byte) (*plan.Draft, error) {
	if len(text) > maxSize {
		return nil, &plan.SizeError{Name: name, Size: int64(len(text)), Max: maxSize}
	}
	r := &reader{t: outline.New(name, text), places: map[string]plan.Position{}, notes: map[string][]string{}, bodies: map[part]*strings.Builder{}}
	r.p.Meta.Name = strings.TrimSuffix(path.Base(strings.ReplaceAll(name, `\`, "/")), path.Ext(name))
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
		r.report("no-tasks", plan.Error, r.t.At(0), "", "this is no task list that is known", "write items as  - [ ] T001 text  or  - [ ] 1. text")
	}
	r.finish()
	r.goal()
	r.references()
	r.settings()
	return plan.Assemble(plan.Parts{Plan: r.p, Format: format, Files: []plan.Text{{Path: name, Text: text}}, Found: r.found, Places: r.places}), nil
}

func (r *reader) report(code string, severity plan.Severity, at plan.Position, task, message, hint string) {
	if len(r.found) > maxFound && (severity != plan.Error || len(r.found) > 2*maxFound) {
		return // a draft keeps fewer
	}
	r.found = append(r.found, plan.Diagnostic{Code: code, Severity: severity, Message: message, Hint: hint, Task: task, Pos: at})
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

// finish gives tasks and steps what was found below them. A task that has no mark of its own is as far as its steps are.
func (r *reader) finish() {
	for i := range r.p.Tasks {
		t := &r.p.Tasks[i]
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
	if r.items < maxItems {
		return false
	}
	r.report("too-many-tasks", plan.Error, at, "", fmt.Sprintf("the list has more than %d items; the rest is not read", maxItems), "split the list up")
	return true
}

// irregular reports a checkbox that fits no form. It is kept.
func (r *reader) irregular(line int, kept, hint string) {
	r.report("item-irregular", plan.Warning, r.t.At(line), "", "the checkbox has no id in the form of the others; it is kept "+kept, hint)
}

// goal takes the goal of a Markdown list from its title.
func (r *reader) goal() {
	if r.p.Goal != "" {
		return
	}
	r.places["goal"] = r.t.At(0)
	for i := range r.t.Lines {
		if r.t.Lines[i].Hidden {
			continue
		}
		if level, text := outline.Heading(r.t.Line(i)); level == 1 {
			for _, prefix := range []string{"Tasks:", "Implementation Plan:", "Implementation Tasks:"} {
				text = strings.TrimSpace(strings.TrimPrefix(text, prefix))
			}
			r.p.Goal, r.places["goal"] = text, r.t.At(i)
			return
		}
	}
}

// note remembers that an item has something in common with others, for the settings.
func (r *reader) note(key, id string) { r.notes[key] = append(r.notes[key], id) }

func (r *reader) settings() {
	keys := make([]string, 0, len(r.notes))
	for key := range r.notes {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		list := make([]plan.Value, 0, len(r.notes[key]))
		for _, id := range r.notes[key] {
			list = append(list, plan.Value{Kind: "string", Text: id})
		}
		r.p.Settings = append(r.p.Settings, plan.Setting{Key: "task_list." + key, Value: plan.Value{Kind: "array", List: list}})
	}
}
