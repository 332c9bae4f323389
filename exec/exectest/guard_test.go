package exectest_test

import (
	"sync"
	"testing"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/guards"
	"github.com/planlock/planlock/plan"
)

// before makes the case of a run that is before its only step.
func before(t testing.TB) func() *guard.Case {
	return func() *guard.Case {
		return exectest.Case(t, &plan.Plan{Goal: "Try", Tasks: []plan.Task{{ID: "1", Steps: []plan.Step{
			{ID: "1", Address: "1.1", Description: "Do it", Rollback: plan.Reversible}}}}}, "1.1")
	}
}

// TestGuardSuitePasses whatever lets the step go on in the end, and each guard
// that planlock has.
func TestGuardSuitePasses(t *testing.T) {
	for _, g := range guards.Table() {
		exectest.RunGuard(t, guard.Of("my "+g.Name(), g.Look), before(t))
	}
	one := func(done func(*guard.Case) bool, v guard.Verdict) func(*guard.Case) guard.Verdict {
		return func(c *guard.Case) guard.Verdict {
			if done(c) {
				return guard.Pass()
			}
			return v
		}
	}
	for name, look := range map[string]func(*guard.Case) guard.Verdict{
		"asks": func(c *guard.Case) guard.Verdict { return guard.Ask(c, "freeze", "the release") },
		"asks until the last of its choices": one(func(c *guard.Case) bool { return c.Step.Chosen("mine", "j") },
			guard.Hold(mine("", "h", "i", "j"))),
		"asks whether to leave it out": says(guard.Hold(mine("", "k", "s"))),
		"leaves it out":                says(guard.Record(&history.StepSkipped{By: "me"})),
		"looks": one(func(c *guard.Case) bool { return c.Seen.Holds(guard.Tree) },
			guard.Look(guard.Tree)),
		"consults": one(func(c *guard.Case) bool { return c.Advised("1", "research") != nil },
			guard.Consult("research")),
		"reviews": one(func(c *guard.Case) bool { return c.Run.Task("1").Approval() != nil }, guard.Review()),
	} {
		exectest.RunGuard(t, guard.Of(name, look), before(t))
	}
}

// mine is a question with some choices.
func mine(step plan.Address, keys ...string) ask.Question {
	q := ask.Question{Kind: "mine", Step: step, What: "w", Why: "y"}
	for _, key := range keys {
		q.Choices = append(q.Choices, ask.Choice{Key: key, Label: "l", Consequence: "c"})
	}
	return q
}

// TestGuardSuite finds each thing that a guard may do wrong.
func TestGuardSuite(t *testing.T) {
	var one sync.Mutex // suites ask twice at one time
	calls := 0
	does := func(what func(*guard.Case)) func(*guard.Case) guard.Verdict {
		return func(c *guard.Case) guard.Verdict {
			one.Lock()
			defer one.Unlock()
			what(c)
			return guard.Pass()
		}
	}
	asks := func(change func(*ask.Question)) func(*guard.Case) guard.Verdict {
		q := mine("1.1", "g")
		change(&q)
		return says(guard.Hold(q))
	}
	for want, look := range map[string]func(*guard.Case) guard.Verdict{
		"another thing each time": func(*guard.Case) guard.Verdict {
			one.Lock()
			defer one.Unlock()
			if calls++; calls%2 == 0 {
				return guard.Pass()
			}
			return guard.Look(guard.Tree)
		},
		"it changed what it looked at":            does(func(c *guard.Case) { c.Step.Title += "!" }),
		`rule "untouched, case 1" is broken`:      does(func(c *guard.Case) { c.Plan.Goal += "!" }),
		"it noted what it did not see":            does(func(c *guard.Case) { c.Seen.Saw(guard.Tree) }),
		"it has not let the step pass 100 times":  asks(func(*ask.Question) {}),
		`rule "passes, case 1" is broken`:         says(guard.Look(guard.Tree)),
		"it records the fact run-started":         says(guard.Record(&history.Started{})),
		"it records a fact that is nil":           says(guard.Record(nil)),
		`there is no advice of kind "nonsense"`:   says(guard.Consult("nonsense")),
		"there is no observation 99":              says(guard.Look(99)),
		`about step "9.9"`:                        asks(func(q *ask.Question) { q.Step = "9.9" }),
		"about attempt 1099511627776 of step 1.1": asks(func(q *ask.Question) { q.Attempt = 1 << 40 }),
		`about run "other"`:                       asks(func(q *ask.Question) { q.Run = "other" }),
		"leaves step 1.1 blocked, and nothing": asks(func(q *ask.Question) {
			q.Kind, q.Choices[0].Key = ask.Dependency, "w"
		}),
	} {
		broken(t, want, func(t testing.TB) { exectest.RunGuard(t, guard.Of("mine", look), before(t)) })
	}
	passes := says(guard.Pass())
	for want, g := range map[string]guard.Guard{
		`is called "binding", as is one that every run has`: guard.Of("binding", passes),
		"has no name": guard.Of("", passes),
	} {
		broken(t, want, func(t testing.TB) { exectest.RunGuard(t, g, before(t)) })
	}
}

func says(v guard.Verdict) func(*guard.Case) guard.Verdict {
	return func(*guard.Case) guard.Verdict { return v }
}
