package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/spelling"
)

// orderRules are those of references, of cycles, and of what comes after what.
func orderRules() []rule {
	return []rule{
		{code: "task-dep-unknown", severity: Error, why: "A task depends on tasks that the plan has.",
			task: func(x *inspection, t *taskPart, tell tell) {
				for k, id := range t.DependsOn {
					if _, ok := x.tasks[id]; !ok {
						tell(fmt.Sprintf("depends_on[%d]", k),
							fmt.Sprintf("task %q depends on %q, which is not there", t.ID, id),
							near(id, x.plan.Tasks, func(t *Task) string { return t.ID }))
					}
				}
			}},
		{code: "task-cycle", severity: Error, why: "Tasks wait for each other, so none can begin.",
			plan: func(x *inspection, tell tell) {
				for _, cycle := range x.cycles.tasks {
					tell(fmt.Sprintf("tasks[%d].depends_on", x.tasks[cycle[0]]),
						"tasks wait for each other: "+chain(cycle), "take one of the dependencies out")
				}
			}},
		{code: "speclet-dep-unknown", severity: Error, why: "A speclet depends on speclets that the plan has.",
			plan: specletRefs("depends_on", func(s *Speclet) []string { return s.DependsOn },
				func(x *inspection, s *Speclet, id string) (message, hint string) {
					if _, ok := x.speclets[id]; !ok {
						message = fmt.Sprintf("speclet %q depends on %q, which is not there", s.ID, id)
					}
					return message, "name a speclet that is there"
				})},
		{code: "speclet-cycle", severity: Error, why: "Speclets wait for each other, so none can begin.",
			plan: func(x *inspection, tell tell) {
				for _, cycle := range x.cycles.speclets {
					tell(fmt.Sprintf("speclets[%d].depends_on", x.speclets[cycle[0]]),
						"speclets wait for each other: "+chain(cycle), "take one of the dependencies out")
				}
			}},
		{code: "speclet-task-unknown", severity: Error, why: "A speclet groups tasks that the plan has.",
			plan: specletRefs("tasks", func(s *Speclet) []string { return s.Tasks },
				func(x *inspection, s *Speclet, id string) (message, hint string) {
					if _, ok := x.tasks[id]; !ok {
						message = fmt.Sprintf("speclet %q has a task %q, which is not there", s.ID, id)
					}
					return message, "name a task that is there"
				})},
		{code: "task-in-several-speclets", severity: Error, why: "A task belongs to one speclet.",
			plan: func(x *inspection, tell tell) {
				member := map[string]string{}
				specletRefs("tasks", func(s *Speclet) []string { return s.Tasks },
					func(x *inspection, s *Speclet, id string) (message, hint string) {
						if other, ok := member[id]; ok {
							return fmt.Sprintf("task %q is in the speclets %q and %q", id, other, s.ID), "keep it in one"
						}
						if _, ok := x.tasks[id]; ok {
							member[id] = s.ID
						}
						return "", ""
					})(x, tell)
			}},
		{code: "task-unassigned", severity: Warning, why: "Where a plan has speclets, each task belongs to one.",
			plan: func(x *inspection, tell tell) {
				assigned := map[string]bool{}
				for _, s := range x.plan.Speclets {
					for _, id := range s.Tasks {
						assigned[id] = true
					}
				}
				for i, t := range x.plan.Tasks {
					if len(x.plan.Speclets) > 0 && !assigned[t.ID] {
						tell(fmt.Sprintf("tasks[%d].id", i), fmt.Sprintf("task %q is in no speclet", t.ID),
							"add it to the tasks of one")
					}
				}
			}},
		{code: "order-cycle", severity: Error,
			why: "Each graph is fine, but tasks and speclets together ask for an order that cannot be.",
			plan: func(x *inspection, tell tell) {
				for _, cycle := range x.cycles.joint {
					tell("speclets", "the dependencies of tasks and of speclets contradict each other: "+chain(cycle),
						"move a task to another speclet, or take a dependency out")
				}
			}},
		{code: "step-no-requirement", severity: Error,
			why: "Under strict each step serves a requirement: otherwise nobody asked for it.",
			step: func(x *inspection, s *stepPart, tell tell) {
				if !x.strict || len(s.Requirements) > 0 || s.Requirements == nil && !x.silent(s, "requirements") {
					return
				}
				example := "R1"
				if i := slices.IndexFunc(x.plan.Requirements, func(r Requirement) bool { return r.ID != "" }); i >= 0 {
					example = x.plan.Requirements[i].ID
				}
				tell("", fmt.Sprintf("step %s serves no requirement", s.address),
					fmt.Sprintf("add  requirements = [%q]  or those that it serves", example))
			}},
		{code: "requirement-unknown", severity: Error, said: true, cause: true,
			why: "A step serves requirements that the plan has.",
			step: func(x *inspection, s *stepPart, tell tell) {
				for k, id := range s.Requirements {
					if !x.required[id] {
						tell(fmt.Sprintf("requirements[%d]", k), fmt.Sprintf("there is no requirement %q", id),
							near(id, x.plan.Requirements, func(r *Requirement) string { return r.ID }))
					}
				}
			}},
		{code: "component-unknown", severity: Error, cause: true,
			why:  "Where the plan has a table [components], steps name its keys.",
			step: tableRefs("components", func(s *stepPart) []string { return s.Components })},
		{code: "constraint-unknown", severity: Error, cause: true,
			why:  "Where the plan has a table [constraints], steps name its keys.",
			step: tableRefs("constraints", func(s *stepPart) []string { return s.Constraints })},
		{code: "fixed-by-missing", severity: Error, said: true, why: "A test that fails now is made to pass by a later step.",
			step: func(x *inspection, s *stepPart, tell tell) {
				if s.TestIntent == nil || s.TestIntent.FixedBy != "" {
					return
				}
				hint := "add a later step that makes it pass, and name its address with  fixed_by"
				if own := x.order[s.address]; own+1 < len(x.sequence) {
					hint = fmt.Sprintf("add  fixed_by = %q  or the later step that makes it pass", x.sequence[own+1])
				}
				tell("test_intent", "nothing says which step makes the test pass", hint)
			}},
		{code: "fixed-by-unknown", severity: Error, said: true, why: "The step that makes a test pass is one of the plan.",
			step: func(x *inspection, s *stepPart, tell tell) {
				if s.TestIntent == nil || s.TestIntent.FixedBy == "" {
					return
				}
				if _, ok := x.steps[s.TestIntent.FixedBy]; !ok {
					tell("test_intent.fixed_by", fmt.Sprintf("there is no step %q", s.TestIntent.FixedBy),
						"an address is TASK.STEP")
				}
			}},
		{code: "fixed-by-not-later", severity: Error, said: true,
			why: "The step that makes a test pass comes after the one that writes it.",
			step: func(x *inspection, s *stepPart, tell tell) {
				if s.TestIntent == nil {
					return
				}
				by := s.TestIntent.FixedBy
				if fixed, ordered := x.order[by]; ordered && fixed <= x.order[s.address] {
					tell("test_intent.fixed_by", fmt.Sprintf("step %s does not come after this one", by),
						"name the later step that makes the test pass")
				}
			}},
		{code: "invariant-unknown", severity: Error, said: true, cause: true, why: "The invariant that a test guards is one of the plan.",
			step: func(x *inspection, s *stepPart, tell tell) {
				if s.TestIntent == nil || s.TestIntent.Invariant == "" {
					return
				}
				known := func(v Invariant) bool { return v.ID == s.TestIntent.Invariant }
				if !slices.ContainsFunc(x.plan.Invariants, known) {
					tell("test_intent.invariant", fmt.Sprintf("there is no invariant %q", s.TestIntent.Invariant),
						near(s.TestIntent.Invariant, x.plan.Invariants, func(v *Invariant) string { return v.ID }))
				}
			}},
		{code: "postcondition-contradicts", severity: Error, said: true, cause: true,
			why: "A step that does what it declares can meet its postconditions.",
			step: func(_ *inspection, s *stepPart, tell tell) {
				for i, c := range s.Postconditions {
					if s.Artifacts != nil && s.Artifacts.oppose(c) {
						tell(fmt.Sprintf("postconditions[%d]", i),
							fmt.Sprintf("%s cannot hold after a step that does what it declares", c),
							"mend the check, or the artifacts: they say the opposite")
					}
				}
			}},
		{code: "supersedes-unknown", severity: Error, said: true, why: "A step supersedes steps of the plan.",
			step: superseded(func(x *inspection, _ *stepPart, a Address) (message, hint string) {
				if _, ok := x.steps[a]; !ok {
					return fmt.Sprintf("there is no step %q", a), "an address is TASK.STEP"
				}
				return "", ""
			})},
		{code: "supersedes-not-earlier", severity: Error, said: true, why: "A step supersedes steps that come before it.",
			step: superseded(func(x *inspection, s *stepPart, a Address) (message, hint string) {
				if at, ordered := x.order[a]; ordered && at >= x.order[s.address] {
					return fmt.Sprintf("step %s does not come before this one", a),
						"name earlier steps, whose postconditions need not hold any more"
				}
				return "", ""
			})},
	}
}

// specletRefs judges the names under a key of the speclets one by one.
func specletRefs(key string, of func(*Speclet) []string,
	wrong func(x *inspection, s *Speclet, id string) (message, hint string),
) func(*inspection, tell) {
	return func(x *inspection, tell tell) {
		for i := range x.plan.Speclets {
			s := &x.plan.Speclets[i]
			for k, id := range of(s) {
				if message, hint := wrong(x, s, id); message != "" {
					tell(fmt.Sprintf("speclets[%d].%s[%d]", i, key, k), message, hint)
				}
			}
		}
	}
}

// tableRefs judges references of steps to the keys of a free table, where the
// plan has it.
func tableRefs(table string, of func(*stepPart) []string) func(*inspection, *stepPart, tell) {
	return func(x *inspection, s *stepPart, tell tell) {
		for k, name := range of(s) {
			if x.keys[table] && !x.keys[table+"."+name] && !x.keys[table+"."+spelling.QuoteKey(name)] {
				tell(fmt.Sprintf("%s[%d]", table, k), fmt.Sprintf("[%s] has no key %q", table, name),
					"name a key that is there, or add it")
			}
		}
	}
}

// chain names a cycle in full; one of many thousand keeps its ends.
func chain(cycle []string) string {
	const most = 200
	if n := len(cycle); n > most {
		cycle = slices.Concat(cycle[:most/2], []string{fmt.Sprintf("… %d more …", n-most)}, cycle[n-most/2:])
	}
	return strings.Join(cycle, " → ")
}

// superseded judges the addresses of the steps that a step supersedes one by
// one.
func superseded(wrong func(x *inspection, s *stepPart, a Address) (message, hint string),
) func(*inspection, *stepPart, tell) {
	return func(x *inspection, s *stepPart, tell tell) {
		for i, a := range s.Supersedes {
			if message, hint := wrong(x, s, Address(a)); message != "" {
				tell(fmt.Sprintf("supersedes[%d]", i), message, hint)
			}
		}
	}
}
