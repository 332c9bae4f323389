package exectest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/engine"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
)

// RunRung checks a rung against the rules of [recovery.Rung], in each of some
// situations: it decides by the situation alone, so the same each time and by
// several calls at a time, leaves it as it was, has one name, and wants one
// thing at most.
func RunRung(t testing.TB, r recovery.Rung, situations ...recovery.Situation) {
	t.Helper()
	for i, s := range situations {
		name := fmt.Sprintf("situation %d", i+1)
		try(t, name, "Try is a function of the situation, and wants one thing", func() error {
			err := pure(r.Name, func() any {
				next, ok := r.Try(s)
				return []any{next, ok}
			}, s.Step, s.History, s.Failure, s.Run)
			if next, ok := r.Try(s); ok && next.Method != "" && next.Ask {
				err = errors.Join(err, errors.New("it wants a method tried and a person asked"))
			}
			return err
		})
	}
}

// RunGuard checks a guard against the rules of [guard.Guard], in each of some
// cases, which [Case] makes: it decides by the case alone, so the same each time
// and by several calls at a time, leaves it as it was, has one name, and asks
// about the step of the case with choices that make sense.
func RunGuard(t testing.TB, g guard.Guard, cases ...*guard.Case) {
	t.Helper()
	for i, c := range cases {
		name := fmt.Sprintf("case %d", i+1)
		try(t, name, "Look is a function of the case, and asks about its step", func() error {
			err := pure(g.Name, func() any { return g.Look(c) }, c.Run, c.Step)
			if asked := g.Look(c).Question; asked != nil {
				q, bad := engine.Question(c, *asked)
				if bad == nil && q.Step != c.Step.Address {
					bad = fmt.Errorf("it asks about step %q, looking at %q", q.Step, c.Step.Address)
				}
				err = errors.Join(err, bad)
			}
			return err
		})
	}
}

// Case is a case for a guard: a run of a plan that has begun, and is before the
// given step. facts happened in it since.
func Case(p *plan.Plan, at plan.Address, facts ...history.Located) (*guard.Case, error) {
	started := &history.Started{Run: "01J00000000000000000000000", Goal: p.Goal}
	for task, step := range p.Steps() {
		started.Steps = append(started.Steps, history.Outline{Address: step.Address, Task: task.ID,
			Title: step.Description, Critical: step.IsCritical(), Rollback: step.Rollback})
	}
	run := &history.Run{}
	for i, l := range append(history.Where{}.Locate(started), facts...) {
		fact, err := l.Encode()
		if err == nil {
			err = run.Apply(record.Record{Seq: uint64(i + 1), Fact: fact})
		}
		if err != nil {
			return nil, err
		}
	}
	return &guard.Case{Contract: &guard.Contract{Plan: p}, Run: run, Seen: &guard.Seen{}, Step: run.Step(at)}, nil
}

// RunReviewer checks a reviewer against the rules of [exec.Reviewer]. fresh makes
// a request that it can review.
func RunReviewer(t testing.TB, x exec.Reviewer, fresh func() review.Request) {
	t.Helper()
	ask := func(ctx context.Context) error {
		_, err := x.Review(ctx, fresh())
		return err
	}
	try(t, "name", "Name is one, and not empty", func() error { return oneName(x.Name) })
	try(t, "untouched", "Review leaves the request as it was", func() error {
		shown := fresh()
		before := spelled(shown)
		_, err := x.Review(context.Background(), shown)
		return errors.Join(err, same(before, spelled(shown), "it changed the request"))
	})
	try(t, "stopped", "Review returns an error when its context has ended", func() error { return stops(ask) })
	try(t, "concurrent", "Review serves requests at a time",
		func() error { return twice(func() error { return ask(context.Background()) }) })
}

func oneName(name func() string) error {
	if first := name(); first == "" || name() != first {
		return errors.New("its name is empty, or another one each time")
	}
	return nil
}

// pure says what shows that look is no function of what it looks at.
func pure(name func() string, look func() any, at ...any) error {
	before, said := spelled(at...), spelled(look())
	changed := same(before, spelled(at...), "it changed what it looked at")
	return errors.Join(oneName(name), changed, twice(func() error {
		return same(said, spelled(look()), "it decides another thing each time")
	}))
}
