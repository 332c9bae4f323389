package formats

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
)

// all does the parts of a conversion in an order in which each sees what those
// before it decided: files become artifacts before steps are told what they
// lack. Where a format has another order than that of its text, tasks are put
// in the order in which they are carried out, as a native plan has no other.
func (c *conversion) all(faults []plan.Diagnostic) {
	c.at = make([]int, len(c.p.Tasks))
	for i := range c.at {
		c.at[i] = i
	}
	if c.d.Format == plan.PendingActions || c.d.Format == plan.SpecPair {
		c.at = c.p.TasksInOrder(c.p.Sequence(c.d.Format))
	}
	c.p.Tasks = slices.Clone(c.p.Tasks)
	for i := range c.p.Tasks {
		c.p.Tasks[i] = c.d.Plan.Tasks[c.at[i]]
		c.p.Tasks[i].Steps = slices.Clone(c.p.Tasks[i].Steps)
	}
	c.files()
	c.dependencies()
	c.criteria()
	c.top(faults)
	c.premises()
	for i := range c.p.Tasks {
		c.task(i)
	}
}

// source names what the plan was read from.
func (c *conversion) source() string {
	var names []string
	for _, f := range c.d.Files {
		names = append(names, path.Base(strings.ReplaceAll(f.Path, `\`, "/")))
	}
	if len(names) > 3 {
		names = append(names[:2], fmt.Sprintf("%d more", len(names)-2))
	}
	return strings.Join(names, ", ")
}

// top makes the head of the plan and the remarks about it: where it comes
// from, what is wrong with it, and what a person must decide for the plan as a
// whole.
func (c *conversion) top(faults []plan.Diagnostic) {
	c.remark("", fmt.Sprintf("Converted from %s (%s). Lines that begin with \"decide:\" wait for a person.", c.source(),
		c.d.Format))
	for _, f := range faults {
		c.remark("", fmt.Sprintf("error in the source, line %d: %s", f.Pos.Line, f.Message))
	}
	if c.named {
		c.remark("",
			"decide: artifacts that were made of the files which a task names hold at once: a step that leaves one of them as it",
			"is fails. Take out what a step only reads.")
	}
	if !slices.ContainsFunc(c.p.Execution.Extra, func(s plan.Setting) bool { return s.Key == "preset" }) {
		c.remark("",
			"decide: planlock run --agent tries a step of the source again where it fails, three times in all, and this one once,",
			"unless it says how failures are coped with, as in  execution.preset = \"phase\".")
	}
	switch c.p.Profile {
	case plan.Observe:
		c.remark("profile",
			"What no step declares is recorded under observe, and refused under strict. When all is decided, write strict.")
	case plan.Scoped:
		c.remark("profile",
			"Under scoped a step changes the files that are named for it, and nothing else has to be said. When all is decided,",
			"write strict.")
	}
	if strings.TrimSpace(c.p.Goal) != "" {
		return
	}
	name := c.p.Meta.Name
	if name == "" && len(c.d.Files) > 0 {
		base := path.Base(strings.ReplaceAll(c.d.Files[0].Path, `\`, "/"))
		name = strings.TrimSuffix(base, path.Ext(base))
	}
	c.p.Goal = strings.TrimSpace("Carry out " + name)
	c.remark("goal", "decide: the source states no goal; say it in one sentence")
}

// premises says what a strict plan has and this one has not.
func (c *conversion) premises() {
	if len(c.p.Requirements) == 0 {
		c.remark("requirements", "decide: what was asked for; under strict each step serves at least one",
			"[[requirements]]", `id = "R1"`, `text = "…"`)
	}
	if len(c.p.Invariants) == 0 {
		c.remark("invariants", "decide: what must hold before, between and after the steps", "[[invariants]]",
			`id = "I1"`, `text = "…"`, `check = { kind = "command", run = "…" }`)
	}
	if len(c.p.NonGoals) == 0 {
		c.remark("non_goals", "decide: what must not be touched", "[[non_goals]]", `id = "N1"`, `text = "…"`,
			`paths = ["…/**"]`)
	}
	lines := []string{"decide: for all steps that do not say it themselves", "[defaults]"}
	for _, l := range []struct {
		line string
		said func(*plan.Step) bool
	}{
		{`requirements = ["R1"]`, func(s *plan.Step) bool { return s.Requirements != nil }},
		{`rollback = "reversible"`, func(s *plan.Step) bool { return s.Rollback != "" }},
		{`on_failure = "block"`, func(s *plan.Step) bool { return s.OnFailure != "" }},
		{`semantic_change = "extending"`, func(s *plan.Step) bool { return s.SemanticChange != "" }},
		{"limits = { max_files = 3, max_lines = 200 }", func(s *plan.Step) bool { return s.Limits != nil }},
	} {
		if some(&c.p, func(s *plan.Step) bool { return !l.said(s) }) {
			lines = append(lines, l.line)
		}
	}
	if len(lines) > 2 {
		c.remark("defaults", lines...)
	}
}

// dependencies takes out what is not there to depend on, which a native plan
// may not name.
func (c *conversion) dependencies() {
	tasks, speclets := map[string]bool{}, map[string]bool{}
	for _, t := range c.p.Tasks {
		tasks[t.ID] = true
	}
	c.p.Speclets = slices.Clone(c.p.Speclets)
	for _, s := range c.p.Speclets {
		speclets[s.ID] = true
	}
	for i := range c.p.Tasks {
		t := &c.p.Tasks[i]
		t.DependsOn = c.known(fmt.Sprintf("tasks[%d].depends_on", i), "depends on", t.DependsOn, tasks)
	}
	for i := range c.p.Speclets {
		s, key := &c.p.Speclets[i], fmt.Sprintf("speclets[%d]", i)
		s.DependsOn = c.known(key+".depends_on", "depends on", s.DependsOn, speclets)
		s.Tasks = c.known(key+".tasks", "has", s.Tasks, tasks)
	}
}

// known keeps the ids that are there, and leaves a remark about the others.
func (c *conversion) known(key, verb string, ids []string, there map[string]bool) []string {
	if !slices.ContainsFunc(ids, func(id string) bool { return !there[id] }) {
		return ids
	}
	var kept []string
	for _, id := range ids {
		if there[id] {
			kept = append(kept, id)
		} else {
			c.remark(key, fmt.Sprintf("decide: the source %s %q, which is not in it", verb, id))
		}
	}
	return kept
}

// task says how far a task is, and what its steps leave open.
func (c *conversion) task(i int) {
	t, key := &c.p.Tasks[i], fmt.Sprintf("tasks[%d]", i)
	implied := c.d.Implied(c.at[i])
	if t.Status != plan.Open && t.Status != "" && !implied {
		c.remark(key, "the source says: "+string(t.Status))
	}
	for j := range t.Steps {
		s, at := &t.Steps[j], fmt.Sprintf("%s.steps[%d]", key, j)
		if s.Description == "" && s.ExpectedOutput == "" {
			s.Description = "Task " + t.ID
			c.remark(at, "decide: the source does not say what it is for")
		}
		switch {
		case t.MarksDone(s):
			c.remark(at, "done already, says the source; to leave it out, acknowledge "+s.Address.DoneCode())
		case s.Status != plan.Open && s.Status != "":
			c.remark(at, "the source says: "+string(s.Status))
		}
		if s.Artifacts == nil && len(c.remarks[at+".artifacts"]) == 0 {
			c.remark(at+".artifacts",
				`decide: artifacts = { create = ["…"], modify = ["…"] } # what it changes; {} if nothing`)
		}
		if !checked(s) {
			c.remark(at+".postconditions",
				`decide: postconditions = [{ kind = "command", run = "…" }] # how a machine sees that it is done`)
		}
	}
}
