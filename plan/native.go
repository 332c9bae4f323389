package plan

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// stepsKey reads the steps of a task, each on top of what [defaults] says.
func stepsKey() key[Task] {
	return key[Task]{name: "steps", doc: "the steps, in order", shape: shape{types: []string{"array"},
		items: &shape{types: []string{"object"}, fields: stepKeys.fields}}, set: setSteps}
}

func setSteps(d *decoder, to *Task, n *node) {
	if n.kind != kindArray {
		d.wrong(n, "a list of tables, [[tasks.steps]]")
		return
	}
	to.Steps = make([]Step, len(n.list))
	for i, item := range n.list {
		s := &to.Steps[i]
		s.Status = Open
		if item.kind != kindTable {
			d.wrong(item, "a table")
			continue
		}
		d.step = identOf(item)
		d.inherit(s)
		stepKeys.decode(d, s, item)
		s.Address = addressOf(to.ID, s.ID)
	}
	d.step = ""
}

// addressOf joins the ids of a task and a step. A step may also be called by its whole address.
func addressOf(task, step string) Address {
	if strings.HasPrefix(step, task+".") {
		return Address(step)
	}
	return Address(task + "." + step)
}

func identOf(n *node) string {
	if id := n.find("id"); id != nil {
		return id.text
	}
	return ""
}

func tasksKey() key[Plan] {
	return key[Plan]{name: "tasks", doc: "the tasks, in order", shape: shape{types: []string{"array"},
		items: &shape{types: []string{"object"}, fields: taskKeys.fields}}, set: setTasks}
}

func setTasks(d *decoder, to *Plan, n *node) {
	if n.kind != kindArray {
		d.wrong(n, "a list of tables, [[tasks]]")
		return
	}
	to.Tasks = make([]Task, len(n.list))
	for i, item := range n.list {
		t := &to.Tasks[i]
		t.Status = Open
		if item.kind != kindTable {
			d.wrong(item, "a table")
			continue
		}
		d.task = identOf(item)
		t.ID = d.task // steps need it, wherever it stands
		taskKeys.decode(d, t, item)
	}
	d.task = ""
}

// defaultsKey judges [defaults] once; the steps take over what it says.
func defaultsKey() key[Plan] {
	return key[Plan]{name: "defaults", doc: "what steps inherit", shape: shape{types: []string{"object"}, fields: defaultKeys.fields},
		set: func(d *decoder, _ *Plan, n *node) {
			if n.kind != kindTable {
				d.wrong(n, "a table")
				return
			}
			defaultKeys.decode(d, new(Step), n)
		}}
}

// scopeKeys are those of [ledger].
var scopeKeys = newTable(func() []key[ledger.Scope] {
	return []key[ledger.Scope]{
		texts("ignore", "globs of what is not accounted", func(s *ledger.Scope) *[]string { return &s.Ignore }),
		texts("stamps", "globs of what is watched by names only, and not restored", func(s *ledger.Scope) *[]string { return &s.Stamps }),
		texts("track", "globs of what is watched, but not restored", func(s *ledger.Scope) *[]string { return &s.Track }),
	}
})

// The name of the format's version, as in schema = 1.
const schemaVersion = 1

var planKeys = newTable(func() []key[Plan] {
	return append([]key[Plan]{
		number("schema", "the version of the format: 1", schemaVersion, schemaVersion, func(p *Plan) *int { return &p.Schema }),
		choice("profile", "what complete means", func(p *Plan) *Profile { return &p.Profile }, Strict, Observe),
		sub("meta", "names the plan", metaKeys, func(p *Plan) *Meta { return &p.Meta }),
		sub("goal", "the goal, exactly one", goalKeys, func(p *Plan) *Plan { return p }),
		subs("requirements", "what the user asked for", requirementKeys, nil, func(p *Plan) *[]Requirement { return &p.Requirements }),
		subs("assumptions", "what is taken for granted", assumptionKeys, nil, func(p *Plan) *[]Assumption { return &p.Assumptions }),
		subs("invariants", "what holds throughout", invariantKeys, func(i *Invariant) { i.Critical = true }, func(p *Plan) *[]Invariant { return &p.Invariants }),
		subs("non_goals", "what must not be touched; [] means nothing", nonGoalKeys, nil, func(p *Plan) *[]NonGoal { return &p.NonGoals }),
		defaultsKey(),
		subs("speclets", "groups of tasks", specletKeys, nil, func(p *Plan) *[]Speclet { return &p.Speclets }),
		tasksKey(),
		sub("completion_criteria", "when the whole is done", completionKeys, func(p *Plan) *Completion { return &p.Completion }),
		sub("ledger", "what is accounted", scopeKeys, func(p *Plan) *ledger.Scope { return &p.Scope }),
		sub("envelope", "what the outcome depends on", envelopeKeys, func(p *Plan) *EnvelopeSpec { return &p.Envelope }),
		sub("sandbox", "how far steps are locked in", sandboxKeys, func(p *Plan) *Sandbox { return &p.Sandbox }),
		sub("execution", "how the run goes", executionKeys, func(p *Plan) *Execution { return &p.Execution }),
		sub("error_propagation", "what a failure means for later steps", propagationKeys, func(p *Plan) *ErrorPropagation { return &p.ErrorPropagation }),
	}, freeKeys()...)
})

// freeTables may hold any keys. They are part of the plan; the controller does not act on them.
var freeTables = []string{
	"software_stack", "user_interface", "deployment", "mcp_tools", "components", "constraints", "knowledge_capture",
	"education", "logging", "verification", "validation", "progress_tracking", "progress_log", "interface_contract",
	"dependencies", "operational_modes", "project_constitution", "constitution", "definition_of_complete", "metadata",
}

func freeKeys() []key[Plan] {
	keys := make([]key[Plan], len(freeTables))
	for i, name := range freeTables {
		keys[i] = key[Plan]{name: name, doc: "free: part of the plan, not acted on",
			shape: shape{types: []string{"object"}, fields: func() ([]field, bool) { return nil, true }},
			set: func(d *decoder, to *Plan, n *node) {
				if n.kind != kindTable {
					d.wrong(n, "a table")
					return
				}
				to.Settings = flatten(to.Settings, name, n)
			}}
	}
	return keys
}

// maxInherited bounds the text of [defaults] times the number of steps.
const maxInherited = 16 << 20

// inherit gives a step what [defaults] says, silently: it was judged on its own.
func (d *decoder) inherit(s *Step) {
	if d.defaults == nil {
		return
	}
	was := d.silent
	d.silent = true
	defaultKeys.decode(d, s, d.defaults)
	d.silent = was
}

// decodePlan reads the tree of a native plan.
func decodePlan(d *decoder, root *node) Plan {
	p := Plan{Profile: Strict}
	if n := root.find("defaults"); n != nil && n.kind == kindTable {
		d.defaults = n
		if size, steps := n.size(), countSteps(root); size*steps > maxInherited {
			d.add("defaults-too-large", n.offset, fmt.Sprintf("[defaults] has %d bytes for each of %d steps", size, steps),
				"keep [defaults] small")
			d.defaults = nil
		}
	}
	planKeys.decode(d, &p, root)
	sortSettings(p.Settings)
	return p
}

// size is about the memory that the values below n take.
func (n *node) size() int {
	total := 16 + len(n.text)
	for _, item := range n.list {
		total += item.size()
	}
	for _, m := range n.keys {
		total += len(m.name) + m.value.size()
	}
	return total
}

func countSteps(root *node) int {
	count := 0
	if tasks := root.find("tasks"); tasks != nil {
		for _, t := range tasks.list {
			if steps := t.find("steps"); steps != nil {
				count += len(steps.list)
			}
		}
	}
	return count
}
