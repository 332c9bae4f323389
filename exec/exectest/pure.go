package exectest

import (
	"context"
	"errors"
	"fmt"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/engine"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
)

// TestRung returns what is wrong with a rung, nil if nothing is: it must decide
// by the situation alone, so the same each time and by several calls at a time,
// leave it as it was, have one name, and say which method is next, that a person
// is asked, what advice it wants, or that the step has failed: one of them.
func TestRung(r recovery.Rung, situations ...recovery.Situation) error {
	var all []error
	for i, s := range situations {
		what := fmt.Sprintf("situation %d", i+1)
		all = append(all, named(what, pure(r.Name, func() any {
			next, ok := r.Try(s)
			return []any{next, ok}
		}, s.Step, s.History, s.Failure, s.Run)))
		if next, ok := r.Try(s); ok && next.Method != "" && next.Ask {
			all = append(all, named(what, errors.New("it wants a method tried and a person asked")))
		}
	}
	return errors.Join(all...)
}

// TestGuard returns what is wrong with a guard, nil if nothing is: it must
// decide by the case alone, so the same each time and by several calls at a
// time, leave it as it was, have one name, and ask about the step of the case
// with choices that make sense. [Case] makes cases.
func TestGuard(g guard.Guard, cases ...*guard.Case) error {
	var all []error
	for i, c := range cases {
		err := pure(g.Name, func() any { return g.Look(c) }, c.Run, c.Step)
		if asked := g.Look(c).Question; asked != nil {
			q, bad := engine.Question(c, *asked)
			if bad == nil && q.Step != c.Step.Address {
				bad = fmt.Errorf("it asks about step %q, looking at %q", q.Step, c.Step.Address)
			}
			err = errors.Join(err, bad)
		}
		all = append(all, named(fmt.Sprintf("case %d", i+1), err))
	}
	return errors.Join(all...)
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

// TestReviewer returns what is wrong with a reviewer, nil if nothing is: it must
// stop when its context ends, leave the request as it was, have one name that
// is not empty, and serve requests at a time. fresh makes a request that it can
// review.
func TestReviewer(x exec.Reviewer, fresh func() review.Request) error {
	shown := fresh()
	before := spelled(shown)
	_, err := x.Review(context.Background(), shown)
	if spelled(shown) != before {
		err = errors.Join(err, errors.New("it changed the request"))
	}
	return errors.Join(
		named("a request", err),
		named("its name", oneName(x.Name)),
		named("a request when it has been stopped", stops(func(ctx context.Context) error {
			_, err := x.Review(ctx, fresh())
			return err
		})),
		named("two requests at a time", twice(func() error {
			_, err := x.Review(context.Background(), fresh())
			return err
		})),
	)
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
	err := oneName(name)
	if spelled(at...) != before {
		err = errors.Join(err, errors.New("it changed what it looked at"))
	}
	return errors.Join(err, twice(func() error {
		if spelled(look()) != said {
			return errors.New("it decides another thing each time")
		}
		return nil
	}))
}
