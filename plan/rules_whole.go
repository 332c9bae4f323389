package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/internal/spelling"
)

// wholeRules are those of what a plan says as a whole, and of who has to agree
// to it.
func wholeRules() []rule {
	return []rule{
		{code: "schema-unsupported", severity: Error,
			why: "The plan is written in a version of the format that this program does not read.",
			plan: func(x *inspection, tell tell) {
				if x.plan.Schema != SchemaVersion {
					tell("schema", fmt.Sprintf("the schema is %d", x.plan.Schema), "write  schema = 1")
				}
			}},
		{code: "goal-missing", severity: Error, why: "A plan exists for one sentence.",
			plan: func(x *inspection, tell tell) {
				if strings.TrimSpace(x.plan.Goal) == "" {
					tell("goal.description", "the plan has no goal", `add  [goal]  with  description = "Limit each client to `+
						`10 requests per second"  or what else the plan is for, in one sentence`)
				}
			}},
		{code: "no-tasks", severity: Error, why: "A plan without tasks does nothing.",
			plan: func(x *inspection, tell tell) {
				if len(x.plan.Tasks) == 0 {
					tell("tasks", "the plan has no tasks", "add  [[tasks]]  with  [[tasks.steps]]")
				}
			}},
		{code: "no-steps", severity: Error, why: "A task without steps does nothing.",
			task: func(_ *inspection, t *taskPart, tell tell) {
				if len(t.Steps) == 0 {
					tell("", fmt.Sprintf("task %q has no steps", t.ID), "add  [[tasks.steps]]")
				}
			}},
		{code: "non-goals-undeclared", severity: Error,
			why: "Under strict a plan says what must not be touched, or  non_goals = []  for nothing.",
			plan: func(x *inspection, tell tell) {
				if x.strict && x.plan.NonGoals == nil {
					tell("non_goals", "the plan does not say what must not be touched",
						"add  non_goals = []  above the first table if nothing is off limits, or tables  [[non_goals]]")
				}
			}},
		{code: "non-goal-no-scope", severity: Warning, said: true,
			why: "A non-goal without paths or symbols is words; no machine can hold it.",
			plan: func(x *inspection, tell tell) {
				for i, n := range x.plan.NonGoals {
					if len(n.Paths)+len(n.Symbols) == 0 {
						tell(fmt.Sprintf("non_goals[%d]", i),
							fmt.Sprintf("non-goal %q names neither paths nor symbols, so no machine can hold it", n.ID),
							`add  paths = ["internal/auth/**"]  or what else it is about`)
					}
				}
			}},
		{code: "invariants-undeclared", severity: Error,
			why: "Under strict a plan that changes public symbols says what must hold, or  invariants = []  for nothing.",
			plan: func(x *inspection, tell tell) {
				if at, changes := x.steps[x.public]; changes && x.strict && x.plan.Invariants == nil {
					tell(fmt.Sprintf("tasks[%d].steps[%d].artifacts", at.task, at.step),
						fmt.Sprintf("step %s changes public symbols, and the plan has no invariants", x.public),
						"add  [[invariants]], or  invariants = []  if nothing must hold")
				}
			}},
		{code: "invariant-no-check", severity: Warning, said: true, why: "Nobody can hold an invariant that nothing checks.",
			plan: func(x *inspection, tell tell) {
				for i, v := range x.plan.Invariants {
					if v.Check == nil {
						tell(fmt.Sprintf("invariants[%d]", i), fmt.Sprintf("nothing checks invariant %q", v.ID),
							`add  check = { kind = "go_build", package = "./..." }  or another check`)
					}
				}
			}},
		{code: "requirement-unmapped", severity: Error, why: "Each requirement is served by a step.",
			plan: func(x *inspection, tell tell) {
				for i, r := range x.plan.Requirements {
					if !x.served[r.ID] && r.ID != "" {
						tell(fmt.Sprintf("requirements[%d].id", i), fmt.Sprintf("no step serves requirement %q", r.ID),
							fmt.Sprintf("add  requirements = [%q]  to a step, or take the requirement out", r.ID))
					}
				}
			}},
		{code: "approval-failed", severity: Error, why: "A planning gate of level 2 did not pass.",
			plan: func(x *inspection, tell tell) { unapproved(x.options, tell) }},
		{code: "gate-name-missing", severity: Error, said: true, why: "Who asks for a gate says which.",
			plan: func(x *inspection, tell tell) {
				for i, g := range x.plan.Gates {
					if g.Name == "" {
						tell(gateKey(i), "the gate has no name", `add  name = "nongoals"  or the name of another gate`)
					}
				}
			}},
		{code: "gate-twice", severity: Error, said: true, why: "A gate is asked for once, with all its arguments.",
			plan: func(x *inspection, tell tell) {
				seen := map[string]bool{"": false}
				for i, g := range x.plan.Gates {
					if seen[g.Name] {
						tell(gateKey(i)+".name", fmt.Sprintf("the gate %q is asked for twice", g.Name),
							"ask for it once, with all arguments")
					}
					seen[g.Name] = g.Name != ""
				}
			}},
		{code: "gate-unknown", severity: Error, said: true, why: "A plan asks for gates that are built in, or that the host has.",
			plan: func(x *inspection, tell tell) {
				for i, g := range x.plan.Gates {
					if _, known := x.gate(g.Name); !known && g.Name != "" {
						tell(gateKey(i)+".name", fmt.Sprintf("there is no gate %q", g.Name),
							near(g.Name, slices.Sorted(maps.Keys(x.options.Gates)),
								func(name *string) string { return *name }))
					}
				}
			}},
		{code: "gate-argument-invalid", severity: Error, said: true, why: "A gate says of each of its arguments what it may be.",
			plan: gateArguments(func(g *GateUse, s Setting, args []Argument) (message, hint string) {
				at := slices.IndexFunc(args, func(a Argument) bool { return a.Name == s.Key })
				if at < 0 || args[at].Takes(s.Value) {
					return "", ""
				}
				want := wants[args[at].Kind]
				return fmt.Sprintf("the argument %s of gate %q is %s, and must be %s", s.Key, g.Name, spelled(s.Value),
					want), "write " + want
			})},
		{code: "gate-argument-unknown", severity: Error, said: true,
			why: "An argument that the gate does not know would be a promise that nobody keeps.",
			plan: gateArguments(func(g *GateUse, s Setting, args []Argument) (message, hint string) {
				names := make([]string, len(args))
				for i, a := range args {
					names[i] = a.Name
				}
				if slices.Contains(names, s.Key) {
					return "", ""
				}
				hint = "it has none"
				if near := spelling.Nearest(s.Key, names); near != "" {
					hint = fmt.Sprintf("did you mean %q?", near)
				} else if len(names) > 0 {
					hint = "it has " + strings.Join(names, ", ")
				}
				return fmt.Sprintf("the gate %q has no argument %s", g.Name, safetext.Escape(s.Key)), hint
			})},
	}
}

// unapproved reports the planning gates that did not pass.
func unapproved(o CheckOptions, tell tell) {
	for _, a := range o.Approvals {
		if a.Level >= 2 && a.Verdict != "pass" {
			tell("", fmt.Sprintf("gate %q says %s", a.Gate, a.Verdict), "mend what the gate found, then ask it again")
		}
	}
}

// gateKey is the place of the i-th of [[gates]].
func gateKey(i int) string { return fmt.Sprintf("gates[%d]", i) }

// gate finds a gate that the host has. All are known where it does not say
// which it has.
func (x *inspection) gate(name string) (args []Argument, known bool) {
	args, known = x.options.Gates[name]
	return args, known || x.options.Gates == nil
}

// gateArguments judges what gates that the host has are given.
func gateArguments(
	wrong func(g *GateUse, s Setting, args []Argument) (message, hint string),
) func(*inspection, tell) {
	return func(x *inspection, tell tell) {
		for i := range x.plan.Gates {
			g := &x.plan.Gates[i]
			args, known := x.gate(g.Name)
			if !known || x.options.Gates == nil || g.Name == "" {
				continue
			}
			for _, s := range g.Args {
				if message, hint := wrong(g, s, args); message != "" {
					tell(gateKey(i)+"."+s.Key, message, hint)
				}
			}
		}
	}
}
