package phase

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
)

// references judges what tasks say about each other, and gives dependencies the
// ids that are meant.
func (r *reader) references() {
	first := map[string]int{}
	byNumber := map[string]int{}
	for i := range r.tasks {
		t := &r.tasks[i]
		if t.id == "" {
			t.id = fmt.Sprint(i + 1) // its form has none
		} else if j, ok := first[t.id]; ok {
			r.reportFor("task-duplicate-id", plan.Error, r.t.At(t.line),
				fmt.Sprintf("there are two tasks %q, the first on line %d", t.id,
					r.tasks[j].line+1), "give each task an id of its own", t.id)
		}
		if _, ok := first[t.id]; !ok {
			first[t.id] = i
		}
		if _, ok := byNumber[fold(t.id)]; !ok {
			byNumber[fold(t.id)] = i
		}
	}
	for i := range r.tasks {
		if n := r.tasks[i].number; n != "" {
			if _, ok := byNumber[fold(n)]; !ok {
				byNumber[fold(n)] = i
			}
		}
	}
	for i := range r.tasks {
		r.resolve(i, first, byNumber)
	}
	r.cycles(first)
	r.complete()
}

// resolve looks up what a task depends on: by id first, then by number however
// it is spelled, so that 1, 01 and "Task 1" are one. A name that is found
// nowhere is kept and is an error; prose is a remark and names no task.
func (r *reader) resolve(i int, first, byNumber map[string]int) {
	t := &r.tasks[i]
	if t.depends == nil {
		return
	}
	known := []string{}
	for _, name := range t.depends {
		j, ok := first[name]
		if !ok {
			j, ok = byNumber[fold(name)]
		}
		switch {
		case ok:
			known = append(known, r.tasks[j].id)
			r.taskWave(i, j)
		case strings.ContainsAny(name, " \t"):
			r.reportFor("task-dep-prose", plan.Note, r.t.At(t.dependsAt),
				fmt.Sprintf("%s waits for %q, which names no task", t.name(i),
					name), "name a task by its id, or say it in the task's text", t.id)
		default:
			known = append(known, name)
			r.reportFor("task-dep-unknown", plan.Error, r.t.At(t.dependsAt),
				fmt.Sprintf("%s depends on %q, which is not there", t.name(i),
					name), "name a task of this plan, or add it", t.id)
		}
	}
	t.depends = known
}

// taskWave judges the waves of a task and of one that it depends on.
func (r *reader) taskWave(i, j int) {
	w, ok := r.tasks[i].wave.wave()
	before, has := r.tasks[j].wave.wave()
	if ok && has && i != j && w <= before {
		t := &r.tasks[i]
		r.reportFor("wave-not-after-dependency", plan.Warning, r.t.At(t.wave.line),
			fmt.Sprintf("%s is in wave %d and depends on %s, which is in wave %d", t.name(i), w, r.tasks[j].name(j),
				before),
			fmt.Sprintf("write  wave=\"%d\",  or take the dependency out", before+1), t.id)
	}
}

// cycles names every cycle in full.
func (r *reader) cycles(first map[string]int) {
	p := plan.Plan{}
	if !slices.ContainsFunc(r.tasks, func(t task) bool { return len(t.depends) > 0 }) {
		return
	}
	for _, t := range r.tasks {
		p.Tasks = append(p.Tasks, plan.Task{ID: t.id, DependsOn: t.depends})
	}
	r.Cycles(&p, func(id string) plan.Position { return r.t.At(r.tasks[first[id]].dependsAt) })
}

// complete reports what a task should say and does not. Where no task of a
// plan says how one sees that it is done, that is reported once: the plan is
// written so, and a remark at each task would tell no more.
func (r *reader) complete() {
	var silent []int
	for i := range r.tasks {
		t := &r.tasks[i]
		if t.title == "" && t.about == "" && strings.TrimSpace(t.body) == "" {
			r.reportFor("task-field-missing", plan.Warning, r.t.At(t.line), t.name(i)+" says nothing",
				"say what is to be done", t.id)
		}
		if t.estimate != "" && estimateOf(t.estimate) == 0 {
			r.reportFor("key-without-effect", plan.Warning, r.t.At(t.estimateAt),
				fmt.Sprintf("the estimate %q of %s is no time, and bounds nothing", t.estimate, t.name(i)),
				"write  45 s,  30m,  2h  or  1d", t.id)
		}
		if len(t.acceptance) == 0 && t.expected == "" && !t.judged && !checkpointKind(t.kind) {
			silent = append(silent, i)
		}
	}
	const hint = "add  **Acceptance Criteria:**  with a list below it, or  <acceptance_criteria>  in a task of tags"
	switch {
	case len(r.tasks) == 0 && r.quoted() >= 0:
		r.report("no-tasks", plan.Error, r.t.At(r.quoted()), "the plan has no tasks: what stands in a code block is text",
			"take away the lines with ``` around the list")
	case len(r.tasks) == 0:
		r.report("no-tasks", plan.Error, r.t.At(0),
			"the plan has no tasks: it is prose, or its tasks have another form",
			"write headings  ### Task 1: Title,  or entries  - id: T1-01  with  title:  below, or  <task type=\"auto\">  and  "+
				"</task>,  each on a line of its own, with  <name>  between them.  A page that neither its title nor its front "+
				"matter calls a phase may also have  - [ ] what is to be done  on a line for each task, or a numbered list")
	case len(silent) == len(r.tasks):
		r.report("task-no-acceptance", plan.Warning, r.t.At(r.tasks[0].line),
			"no task says how one sees that it is done", hint)
	default:
		for _, i := range silent {
			t := &r.tasks[i]
			r.reportFor("task-no-acceptance", plan.Warning, r.t.At(t.line),
				t.name(i)+" does not say how one sees that it is done", hint, t.id)
		}
	}
}

// quoted is the first entry of a list of tasks that stands in a code block, or -1.
func (r *reader) quoted() int {
	for i := range r.t.Lines {
		if r.t.Lines[i].Code && entryID.MatchString(r.t.Line(i)) {
			return i
		}
	}
	return -1
}
