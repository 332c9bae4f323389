package plan

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/plan/internal/hidden"
)

// CannotRun is the code of what keeps a plan of another format from running
// although its own rules allow it: a page of prose is a good plan for people
// and has nothing to carry out. [Draft.Check] warns of it, and [Lock] refuses
// it.
const CannotRun = "cannot-run"

// foreign reports whether the plan is in another format.
func (d *Draft) foreign() bool {
	return d.Format != "" && d.Format != Native && d.Format != Unknown
}

// checkForeign judges a plan of another format: by what its front end found,
// and by what a run needs.
func (d *Draft) checkForeign(o CheckOptions) []Diagnostic {
	found := slices.Clone(d.Found)
	if !d.broken && !foundError(found) {
		found = append(found, d.unrunnable(o)...)
	}
	unapproved(o, func(_, message, hint string) {
		found = append(found, Diagnostic{Code: "approval-failed", Severity: Error, Pos: d.Position(""),
			Message: message, Hint: hint})
	})
	return sortDiagnostics(found)
}

// unrunnable lists what a run could not cope with.
func (d *Draft) unrunnable(o CheckOptions) []Diagnostic {
	r := &runnable{d: d, o: o, seen: map[Address]bool{}}
	p := &d.Plan
	if len(p.Tasks) == 0 {
		r.report("", "there is nothing to carry out: the plan has no tasks", "add tasks in the way of the format, or name another file")
		return r.found
	}
	for _, cycle := range p.Graph().Cycles {
		r.report("", "the order of the work has a cycle: "+chain(cycle), "take one of the dependencies out")
	}
	unclearWishes(p, r.report)
	for i := range p.Tasks {
		r.judge(i, &p.Tasks[i])
	}
	return r.found
}

// runnable goes through a plan and collects what cannot run.
type runnable struct {
	d     *Draft
	o     CheckOptions
	seen  map[Address]bool
	found []Diagnostic
	task  string
	step  string
}

func (r *runnable) report(key, message, hint string) {
	if len(r.found) < maxFindings {
		r.found = append(r.found, Diagnostic{Code: CannotRun, Severity: Warning, Message: message, Hint: hint,
			Task: r.task, Step: r.step, Pos: r.d.Position(key)})
	}
}

func (r *runnable) judge(i int, t *Task) {
	for j := range t.Steps {
		s, key := &t.Steps[j], fmt.Sprintf("tasks[%d].steps[%d]", i, j)
		r.task, r.step = t.ID, s.ID
		switch {
		case !validID(t.ID) || !validID(s.ID):
			r.report(key, fmt.Sprintf("step %q cannot be addressed", s.Address), "an id has up to 128 letters, digits, and . _ -")
		case r.seen[s.Address]:
			r.report(key, fmt.Sprintf("there are two steps %s", s.Address), "give each task, and each step in it, an id of its own")
		}
		r.seen[s.Address] = true
		r.method(key, s)
	}
	r.task, r.step = "", ""
}

// method judges what a machine is given to do.
func (r *runnable) method(key string, s *Step) {
	if s.Run == "" && s.Prompt == "" {
		r.report(key, fmt.Sprintf("step %s has neither a method nor a text", s.Address), "say in a few words what is to be done")
	}
	for _, t := range textsOf(s.visit) {
		switch {
		case t.means == command && hidden.InLines(t.text) >= 0:
			r.report(key, fmt.Sprintf("a command of step %s has a character that is not seen", s.Address),
				"take it out, or type the command again")
		case t.means == glob && pathFault(t.text) != "":
			r.report(key, fmt.Sprintf("%q is not a path in the workspace", t.text),
				"paths are relative to the workspace, with / between names")
		}
	}
	if s.Executor != "" && r.o.Executors != nil && !slices.Contains(r.o.Executors, s.Executor) {
		r.report(key, fmt.Sprintf("there is no executor %q", s.Executor), "give one of that name, or take the name out")
	}
}
