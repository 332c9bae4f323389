package exectest

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/plan"
)

// A guardRule is one promise of guard.Guard, and how it is tried with a case.
type guardRule struct {
	name string
	rule string
	try  func(g guard.Guard, fresh func() *guard.Case) error
}

var guardRules = []guardRule{
	{"pure", "Look decides by the case alone: the same each time, and by several calls at a time", guardIsPure},
	{"untouched", "Look leaves the plan, the run and what was seen as they were", guardLeavesCase},
	{"lawful", "Look wants only what a run does, and asks about the step of the case", guardIsLawful},
	{"passes", "Look lets the step pass, or leaves it out, once what it wanted stands in the history", guardPasses},
}

// RunGuard checks a guard against the rules of [guard.Guard], in each of some
// cases. Each function makes one, the same each time, as [Case] does. What the
// guard wants is judged as in a run, and happens there: it finds what it looks
// for, is advised, and persons answer so that the step can go on.
func RunGuard(t testing.TB, g guard.Guard, fresh ...func() *guard.Case) {
	t.Helper()
	try(t, "name", "Name is one, not empty, and that of no guard that every run has", func() error {
		return errors.Join(oneName(g.Name), session.GuardsApart([]guard.Guard{g}))
	})
	for i, f := range fresh {
		for _, r := range guardRules {
			try(t, fmt.Sprintf("%s, case %d", r.name, i+1), r.rule, func() error { return r.try(g, f) })
		}
	}
}

// Case is a case for a guard: a run of a plan that has begun, and is before the
// given step. facts happened in it since.
func Case(t testing.TB, p *plan.Plan, at plan.Address, facts ...history.Located) *guard.Case {
	t.Helper()
	started := &history.Started{Run: "01J00000000000000000000000", Goal: p.Goal}
	for task, step := range p.Steps() {
		started.Steps = append(started.Steps, history.Outline{Address: step.Address, Task: task.ID,
			Title: step.Description, Critical: step.IsCritical(), Rollback: step.Rollback})
	}
	run := &history.Run{}
	if err := happened(run, append(history.Where{}.Locate(started), facts...)...); err != nil {
		t.Fatal(err)
	}
	if run.Step(at) == nil {
		t.Fatalf("exectest: the plan has no step %q", at)
	}
	return &guard.Case{Contract: &guard.Contract{Plan: p}, Run: run, Seen: &guard.Seen{}, Step: run.Step(at)}
}

func guardIsPure(g guard.Guard, fresh func() *guard.Case) error {
	c := fresh()
	said := spelled(g.Look(c))
	return twice(func() error { return same(said, spelled(g.Look(c)), "it decides another thing each time") })
}

// guardLeavesCase wants the case unchanged, and nothing noted as seen: only who
// looks at the world may do that.
func guardLeavesCase(g guard.Guard, fresh func() *guard.Case) error {
	c := fresh()
	saw, before := *c.Seen, spelled(c.Plan, c.Run, c.Step, c.Seen)
	g.Look(c)
	if !reflect.DeepEqual(saw, *c.Seen) {
		return errors.New("it noted what it did not see")
	}
	return same(before, spelled(c.Plan, c.Run, c.Step, c.Seen), "it changed what it looked at")
}

func guardIsLawful(g guard.Guard, fresh func() *guard.Case) error {
	_, err := holds(g, fresh())
	return err
}

// guardPasses wants an end: a guard that holds a step up for ever ends no run.
func guardPasses(g guard.Guard, fresh func() *guard.Case) error {
	if n, _ := holds(g, fresh()); n > guard.MostHolds {
		return fmt.Errorf("it has not let the step pass %d times", guard.MostHolds)
	}
	return nil
}
