package plan

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan/internal/hidden"
	"github.com/planlock/planlock/plan/internal/paths"
)

// Check judges the draft and returns all diagnostics, those of reading
// included, sorted by file, line, column and code.
func (d *Draft) Check(o CheckOptions) []Diagnostic {
	if d.foreign() {
		return d.checkForeign(o)
	}
	c := &checker{d: d, p: &d.Plan, o: o, found: diagnosticsOf(d.Found)}
	if !d.broken {
		c.strict = d.Plan.Profile != Observe
		c.all()
	}
	return sortDiagnostics(c.found.list)
}

// A checker goes through a plan once.
type checker struct {
	d      *Draft
	p      *Plan
	o      CheckOptions
	found  *Diagnostics
	strict bool

	task, step string // ids of where it is
	prefix     string // path of the task or step, as in "tasks[0].steps[1]"

	tasks    map[string]int      // by id, the first
	steps    map[Address]place   // by address, the first
	order    map[Address]int     // place in the order of execution
	required map[string]bool     // ids of requirements
	served   map[string]bool     // requirements that a step serves
	nonGoals *paths.Patterns     // what no step may change
	kept     map[string]string   // symbols that no step may add or remove, to the non-goal
	envelope *paths.Patterns     // files that the outcome depends on
	own      map[string]struct{} // the plan and its lock
	keys     map[string]bool     // of [components] and [constraints], dotted
	work     int                 // comparisons of globs so far
	sequence []Address           // the steps in the order of execution
	told     map[Diagnostic]bool // what was said of [defaults]
}

// A place is the index of a task and of a step in it.
type place struct{ task, step int }

// report names a place by a path below the current task or step, "" for the id
// of it.
func (c *checker) report(code, key, message, hint string) {
	if !c.found.wants(code) {
		return
	}
	path := c.prefix
	switch {
	case path == "":
		path = key
	case key == "":
		path += ".id"
	default:
		path += "." + key
	}
	if c.step != "" && c.inherits(code, key) {
		c.inherited(code, key, message, hint)
		return
	}
	c.found.Add(Diagnostic{Code: code, Message: message, Hint: hint, Task: c.task, Step: c.step,
		Pos: c.d.Position(path)})
}

func (c *checker) all() {
	c.index()
	c.head()
	c.lists()
	c.gates()
	c.scope()
	c.logPaths()
	unclearWishes(c.p, func(key, message, hint string) { c.report("setting-invalid", key, message, hint) })
	c.speclets()
	c.graph()
	for i := range c.p.Tasks {
		if c.found.cut {
			return
		}
		t := &c.p.Tasks[i]
		c.task, c.step, c.prefix = t.ID, "", fmt.Sprintf("tasks[%d]", i)
		c.checkTask(i, t)
		base := c.prefix
		for j := range t.Steps {
			if c.found.cut {
				return
			}
			s := &t.Steps[j]
			c.step, c.prefix = s.ID, fmt.Sprintf("%s.steps[%d]", base, j)
			c.checkStep(place{i, j}, s)
		}
	}
	c.creations()
	c.task, c.step, c.prefix = "", "", ""
	c.coverage()
	for _, a := range c.o.Approvals {
		if a.Level >= 2 && a.Verdict != "pass" {
			c.report("approval-failed", "", fmt.Sprintf("gate %q says %s", a.Gate, a.Verdict), "mend what the gate found, then ask it again")
		}
	}
}

func (c *checker) index() {
	c.tasks = indexTasks(c.p)
	c.steps, c.served, c.keys = map[Address]place{}, map[string]bool{}, map[string]bool{}
	c.own, c.required = map[string]struct{}{}, map[string]bool{}
	for _, r := range c.p.Requirements {
		c.required[r.ID] = true
	}
	for _, f := range c.d.Files {
		for _, name := range ownNames(f.Path) {
			c.own[name] = struct{}{}
		}
	}
	for i, t := range c.p.Tasks {
		for j, s := range t.Steps {
			a := addressOf(t.ID, s.ID)
			if _, ok := c.steps[a]; !ok {
				c.steps[a] = place{i, j}
			}
		}
	}
	for _, s := range c.p.Settings {
		table, _, _ := strings.Cut(s.Key, ".")
		c.keys[table] = true
		c.keys[s.Key] = true
	}
	c.nonGoals, c.envelope = paths.New(), paths.New()
	c.kept = map[string]string{}
	for _, n := range c.p.NonGoals {
		for _, name := range n.Symbols {
			c.kept[name] = n.ID
		}
		for _, p := range n.Paths {
			c.nonGoals.Add(p, n.ID)
		}
	}
	for _, list := range [][]string{c.p.Envelope.Context, c.p.Envelope.Config, c.p.Envelope.PromptTemplate} {
		for _, p := range list {
			c.envelope.Add(p, p)
		}
	}
}

// ownNames are the names under which a plan and its lock may lie in a
// workspace.
func ownNames(path string) []string {
	var names []string
	path = strings.ReplaceAll(path, `\`, "/")
	for _, p := range []string{path, strings.TrimSuffix(path, ".toml") + ".lock.json"} {
		for {
			names = append(names, strings.TrimPrefix(p, "./"))
			_, rest, ok := strings.Cut(p, "/")
			if !ok {
				break
			}
			p = rest
		}
	}
	return names
}

func (c *checker) head() {
	if c.p.Schema != SchemaVersion {
		c.report("schema-unsupported", "schema", fmt.Sprintf("the schema is %d", c.p.Schema), "write  schema = 1")
	}
	if strings.TrimSpace(c.p.Goal) == "" {
		c.report("goal-missing", "goal.description", "the plan has no goal", `add  [goal]  with  description = "Limit each client to 10 requests per second"  or what else the plan is for, in one sentence`)
	}
	c.prose("goal.description", c.p.Goal)
	if len(c.p.Tasks) == 0 {
		c.report("no-tasks", "tasks", "the plan has no tasks", "add  [[tasks]]  with  [[tasks.steps]]")
	}
	if c.strict && c.p.NonGoals == nil {
		c.report("non-goals-undeclared", "non_goals", "the plan does not say what must not be touched",
			"add  non_goals = []  above the first table if nothing is off limits, or tables  [[non_goals]]")
	}
	c.checks("completion_criteria.checks", c.p.Completion.Checks)
}

// lists judges the tables that have nothing but an id and a text, and what
// hangs on them.
func (c *checker) lists() {
	seen := map[string]bool{}
	for i, r := range c.p.Requirements {
		c.entry("requirement", fmt.Sprintf("requirements[%d]", i), r.ID, r.Text, seen)
	}
	seen = map[string]bool{}
	for i, a := range c.p.Assumptions {
		key := fmt.Sprintf("assumptions[%d]", i)
		c.entry("assumption", key, a.ID, a.Text, seen)
		if a.Check != nil {
			c.check(key+".check", a.Check)
		}
	}
	seen = map[string]bool{}
	for i, v := range c.p.Invariants {
		key := fmt.Sprintf("invariants[%d]", i)
		c.entry("invariant", key, v.ID, v.Text, seen)
		if v.Check != nil {
			c.check(key+".check", v.Check)
		} else {
			c.report("invariant-no-check", key, fmt.Sprintf("nothing checks invariant %q", v.ID), `add  check = { kind = "go_build", package = "./..." }  or another check`)
		}
	}
	seen = map[string]bool{}
	for i, n := range c.p.NonGoals {
		key := fmt.Sprintf("non_goals[%d]", i)
		c.entry("non-goal", key, n.ID, n.Text, seen)
		for k, p := range n.Paths {
			c.pattern(fmt.Sprintf("%s.paths[%d]", key, k), p)
		}
		c.symbols(key+".symbols", n.Symbols)
		if len(n.Paths)+len(n.Symbols) == 0 {
			c.report("non-goal-no-scope", key, fmt.Sprintf("non-goal %q names neither paths nor symbols, so no machine can hold it", n.ID),
				`add  paths = ["internal/auth/**"]  or what else it is about`)
		}
	}
}

func (c *checker) entry(kind, key, id, text string, seen map[string]bool) {
	c.id(kind, key+".id", id)
	if seen[id] && id != "" {
		c.report(kind+"-duplicate-id", key+".id", fmt.Sprintf("there are two %ss %q", kind, id), "give each an id of its own")
	}
	seen[id] = true
	if strings.TrimSpace(text) == "" {
		c.report("text-missing", key, fmt.Sprintf("%s %q has no text", kind, id), `add  text = "What it means, in one sentence"`)
	}
	c.prose(key+".text", text)
}

// id judges the spelling of an id.
func (c *checker) id(kind, key, id string) {
	switch {
	case id == "":
		c.report("id-missing", key, fmt.Sprintf("a %s has no id", kind), fmt.Sprintf("add  id = %q", exampleID(kind)))
	case !validID(id):
		c.report("id-invalid", key, fmt.Sprintf("the id %q cannot be used", id), "an id has up to 128 letters, digits, and . _ -")
	}
}

// exampleID is an id as people give them.
func exampleID(kind string) string {
	switch kind {
	case "task", "step", "backup":
		return "1"
	}
	return strings.ToUpper(kind[:1]) + "1"
}

func validID(id string) bool {
	return id != "" && len(id) <= 128 && strings.IndexFunc(id, func(r rune) bool { return !idRune(r) }) < 0
}

// prose judges text for people.
func (c *checker) prose(key, text string) {
	if i := hidden.InLines(text); i >= 0 {
		c.report("text-hidden", key, fmt.Sprintf("the text has a character that is not seen, or turns the others: %s",
			hidden.Escape(text[i:min(len(text), i+4)])), "take it out, or type the text again")
	}
}

// command judges text for machines, where a hidden character may hide a
// meaning.
func (c *checker) command(key, text string) {
	if i := hidden.InLines(text); i >= 0 {
		c.report("command-hidden", key, fmt.Sprintf("the command has a character that is not seen: %s",
			hidden.Escape(text[i:min(len(text), i+4)])), "take it out, or type the command again")
	}
}

func (c *checker) scope() {
	for _, l := range []struct {
		key      string
		patterns []string
	}{
		{"ledger.ignore", c.p.Scope.Ignore}, {"ledger.stamps", c.p.Scope.Stamps}, {"ledger.track", c.p.Scope.Track},
		{"envelope.context", c.p.Envelope.Context}, {"envelope.config", c.p.Envelope.Config},
		{"envelope.prompt_template", c.p.Envelope.PromptTemplate},
	} {
		for i, p := range l.patterns {
			c.pattern(fmt.Sprintf("%s[%d]", l.key, i), p)
		}
	}
	c.sandbox()
}

// pattern judges a path or glob, and reports whether it can be used.
func (c *checker) pattern(key, p string) bool {
	if err := ledger.CheckPattern(p); err != nil {
		text := strings.TrimPrefix(err.Error(), ledger.ErrPattern.Error()+": ")
		c.report("path-invalid", key, "not a path in the workspace: "+text, "paths are relative to the workspace, with / between names")
		return false
	}
	return true
}
