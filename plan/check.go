package plan

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/internal/safetext"
)

// Check judges the draft and returns all diagnostics, those of reading
// included, sorted by file, line, column and code.
func (d *Draft) Check(o CheckOptions) []Diagnostic {
	if d.foreign() {
		return d.checkForeign(o)
	}
	c := &checker{found: diagnosticsOf(d.Found), told: map[Diagnostic]bool{}}
	if !d.broken {
		c.inspection = inspect(d, o)
		c.run()
	}
	return sortDiagnostics(c.found.list)
}

// A checker asks every rule about every part of a plan: first about the plan
// as a whole, then about each task and its steps, in the order in which they
// stand. It stops where more errors were found than anybody reads.
type checker struct {
	*inspection
	found *Diagnostics
	told  map[Diagnostic]bool // what was said of [defaults]
	said  bool                // ask only rules about what is said

	rule *rule  // that is asked
	path string // of the part that is judged, as in "tasks[0].steps[1]"; "" for the plan
	task string // id
	step *stepPart
}

// run asks all rules about the plan, then about each task and its steps. What
// was collected of a part is forgotten with it, so that a long plan takes no
// more memory than its longest step.
func (c *checker) run() {
	c.ask(func(r *rule) {
		if r.plan != nil {
			r.plan(c.inspection, c.tell)
		}
	})
	for i := range c.plan.Tasks {
		t := taskPart{Task: &c.plan.Tasks[i], index: i}
		c.task, c.step, c.path = t.ID, nil, fmt.Sprintf("tasks[%d]", i)
		t.texts = textsOf(t.Visit)
		c.ask(func(r *rule) {
			if r.task != nil {
				r.task(c.inspection, &t, c.tell)
			}
		})
		for j := range t.Steps {
			if c.found.cut {
				return
			}
			s := stepPart{Step: &t.Steps[j], task: t.Task, at: place{i, j}, address: addressOf(t.ID, t.Steps[j].ID)}
			c.step, c.path = &s, fmt.Sprintf("tasks[%d].steps[%d]", i, j)
			s.path, s.texts = c.path, textsOf(s.Visit)
			s.artifacts = artifactsOf(s.texts)
			c.ask(func(r *rule) {
				if r.step != nil {
					r.step(c.inspection, &s, c.tell)
				}
			})
		}
	}
}

// ask puts all rules to one part of the plan.
func (c *checker) ask(about func(*rule)) {
	all := rules()
	for i := range all {
		if c.found.cut {
			return
		}
		if c.rule = &all[i]; c.rule.said || !c.said {
			about(c.rule)
		}
	}
}

// tell reports that the part does not keep the rule. The key is relative to
// the part; "" is for its id.
func (c *checker) tell(key, message, hint string) {
	if !c.found.wants(c.rule.code) {
		return
	}
	d := Diagnostic{Code: c.rule.code, Message: message, Hint: hint, Task: c.task}
	path := key
	switch {
	case c.path == "":
	case key == "":
		path = c.path + ".id"
	default:
		path = c.path + "." + key
	}
	inherited := c.step != nil && c.rule.brokenByDefaults(c.inspection, c.step, key)
	switch {
	case inherited:
		d.Task, path = "", "defaults."+key
	case c.step != nil:
		d.Step = c.step.ID
	}
	d.Pos = c.draft.Position(path)
	if inherited {
		if c.told[d] {
			return
		}
		c.told[d] = true
	}
	c.found.Add(d)
}

// cannotRun is the code of what keeps a plan of another format from running
// although its own rules allow it: a page of prose is a good plan for people
// and has nothing to carry out. [Draft.Check] warns of it, and [Lock] refuses
// it.
const cannotRun = "cannot-run"

// checkForeign judges a plan of another format: by what its front end found, by
// the rules about what it says, and by what a run needs.
func (d *Draft) checkForeign(o CheckOptions) []Diagnostic {
	found := slices.Clone(d.Found)
	if !d.broken && !foundError(found) {
		c := &checker{inspection: inspect(d, o), found: diagnosticsOf(nil), told: map[Diagnostic]bool{}, said: true}
		c.run()
		found = slices.Concat(found, c.found.list, d.unrunnable(o))
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

// report adds a warning, up to the number of findings that people read.
func (r *runnable) report(key, message, hint string) {
	if len(r.found) < maxFindings {
		r.found = append(r.found, Diagnostic{Code: cannotRun, Severity: Warning, Message: message, Hint: hint,
			Task: r.task, Step: r.step, Pos: r.d.Position(key)})
	}
}

// judge looks whether each step of a task can be called by its address and has
// something to carry out.
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
	if !s.HasMethod() {
		r.report(key, fmt.Sprintf("step %s has neither a method nor a text", s.Address), "say in a few words what is to be done")
	}
	for _, t := range textsOf(s.Visit) {
		switch {
		case t.means == command && safetext.HiddenInLines(t.text) >= 0:
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

// CheckOptions are what a host adds to a plan's own rules. The zero value adds
// nothing.
type CheckOptions struct {
	CheckKinds []CheckKind // further kinds of checks, which the host decides
	Executors  []string    // names of executors that the host has; nil: not checked
	Servers    []string    // names of tool servers that are configured; nil: not checked
	Approvals  []Approval  // verdicts of planning gates, as far as they are known

	// Unread is the language of a path that nobody reads, "" if somebody does, or
	// if it is of none; see source.Reader.Unread. Nil: Go alone
	// is read.
	Unread func(path string) string

	// Gates are those that a plan may ask for, by name, with the arguments that
	// each takes; nil: not checked. Nobody changes the slices.
	Gates map[string][]Argument
}

// An Approval is the verdict of a planning gate, as far as the lock needs it.
type Approval struct {
	Gate    string
	Level   int    // a gate of level 2 that does not pass blocks the lock
	Verdict string // "pass", "partial" or "fail"
}

// A CheckKind is a kind of check, with the names of the arguments that it
// takes.
type CheckKind struct {
	Name   string
	Needed []string // all of them must be given
	One    []string // at least one of them must be given, where there are any
	Free   []string // may be given
}

// kinds are the checks that are built in.
var kinds = []CheckKind{
	{Name: "file_exists", Needed: []string{"path"}},
	{Name: "file_absent", Needed: []string{"path"}},
	{Name: "file_changed", Needed: []string{"path"}},
	{Name: "file_contains", Needed: []string{"path"}, One: []string{"text", "matches"}},
	{Name: "command", Needed: []string{"run"}, Free: []string{"exit", "stdout_contains"}},
	{Name: "symbol_exists", Needed: []string{"symbol"}},
	{Name: "symbol_absent", Needed: []string{"symbol"}},
	{Name: "go_build", Needed: []string{"package"}},
	{Name: "go_vet", Needed: []string{"package"}},
	{Name: "go_test", Needed: []string{"package"}, Free: []string{"run"}},
	{Name: "go_api_compatible", Needed: []string{"package"}},
	{Name: "env_set", Needed: []string{"name"}},
	{Name: "tool_available", Needed: []string{"name"}, Free: []string{"version"}},
}

// kindOf finds the kind of a check, nil if nobody knows it.
func (o CheckOptions) kindOf(k *Check) *CheckKind {
	for _, all := range [][]CheckKind{kinds, o.CheckKinds} {
		if i := slices.IndexFunc(all, func(known CheckKind) bool { return known.Name == k.Kind }); i >= 0 {
			return &all[i]
		}
	}
	return nil
}

// An Argument is one that a gate takes.
type Argument struct {
	Name, Doc string
	// Kind is that of its value, as [Value] has it: "string", "integer",
	// "boolean", or "array", which is a list of strings.
	Kind string
}

// wants is what an argument must be, by its kind.
var wants = map[string]string{kindString: "text", kindInteger: "an integer", kindBoolean: "true or false",
	kindArray: "a list of texts"}

// Takes reports whether a value is one that the argument may have.
func (a Argument) Takes(v Value) bool {
	isText := func(item Value) bool { return item.Kind == kindString }
	return v.Kind == a.Kind && wants[a.Kind] != "" && (a.Kind != kindArray || all(v.List, isText))
}

// all reports whether each item of a list is so.
func all[T any](list []T, is func(T) bool) bool {
	return !slices.ContainsFunc(list, func(item T) bool { return !is(item) })
}
