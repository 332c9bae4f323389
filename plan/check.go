package plan

import (
	"fmt"
	"slices"
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

	rule *rule  // that is asked
	path string // of the part that is judged, as in "tasks[0].steps[1]"; "" for the plan
	task string // id
	step *stepPart
}

func (c *checker) run() {
	c.ask(func(r *rule) {
		if r.plan != nil {
			r.plan(c.inspection, c.tell)
		}
	})
	for i := range c.plan.Tasks {
		t := taskPart{Task: &c.plan.Tasks[i], index: i}
		c.task, c.step, c.path = t.ID, nil, fmt.Sprintf("tasks[%d]", i)
		t.texts = textsOf(t.visit)
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
			s.path, s.texts = c.path, textsOf(s.visit)
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
	for i := range rules {
		if c.found.cut {
			return
		}
		c.rule = &rules[i]
		about(c.rule)
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

// foundError reports whether there is an error in the list.
func foundError(list []Diagnostic) bool {
	return slices.ContainsFunc(list, func(f Diagnostic) bool { return f.Severity == Error })
}
