package exectest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// A noted test keeps what is wrong for itself.
type noted struct {
	testing.TB
	wrong string
}

func (n *noted) Errorf(format string, args ...any) { n.wrong += fmt.Sprintf(format, args...) + "\n" }

// broken fails the test unless a suite finds what is wrong on purpose.
func broken(t *testing.T, want string, run func(testing.TB)) {
	t.Helper()
	got := &noted{TB: t}
	if run(got); !strings.Contains(got.wrong, want) {
		t.Errorf("got %q, want %q", got.wrong, want)
	}
}

type asker func(ctx context.Context, q ask.Question) (ask.Answer, error)

func (e asker) Ask(ctx context.Context, q ask.Question) (ask.Answer, error) { return e(ctx, q) }

func answered(q ask.Question, choice string) ask.Answer {
	return ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt, Choice: choice, By: "anna"}
}

// TestEscalatorSuite finds each thing that an escalator may do wrong.
func TestEscalatorSuite(t *testing.T) {
	exectest.RunEscalator(t, escalator.Refuse{})
	exectest.RunEscalator(t, asker(func(ctx context.Context, q ask.Question) (ask.Answer, error) {
		return answered(q, "r"), context.Cause(ctx)
	}))
	for want, change := range map[string]func(q ask.Question, a *ask.Answer) error{
		"none of the choices":     func(_ ask.Question, a *ask.Answer) error { a.Choice = "z"; return nil },
		"must be acknowledged":    func(_ ask.Question, a *ask.Answer) error { a.Choice = "x"; return nil },
		"is for run":              func(_ ask.Question, a *ask.Answer) error { a.Run = "other"; return nil },
		"who gave it":             func(_ ask.Question, a *ask.Answer) error { a.By = ""; return nil },
		"ErrNoAnswer":             func(ask.Question, *ask.Answer) error { return errors.New("broken") },
		"it changed the question": func(q ask.Question, _ *ask.Answer) error { q.Choices[0].Label = "boo"; return nil },
		"had not been stopped":    nil,
	} {
		x := asker(func(ctx context.Context, q ask.Question) (ask.Answer, error) {
			a := answered(q, "r")
			if change == nil {
				return a, nil
			}
			err := change(q, &a)
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return a, err
		})
		broken(t, want, func(t testing.TB) { exectest.RunEscalator(t, x) })
	}
}

func failedCase() advice.Case {
	failure := history.AttemptFailed{Class: history.Crashed, Reasons: []string{"out of memory"}}
	return advice.Case{Kind: advice.Reflection, Point: advice.Execution, Step: &plan.Step{Run: "train --batch-size 8"},
		Method: advice.Method{ID: "primary", Run: "train --batch-size 8"}, Failure: failure,
		Attempts: []*history.Attempt{{Number: 1, Failure: &failure}}}
}

// TestAdvisorSuite finds each thing that an advisor may do wrong.
func TestAdvisorSuite(t *testing.T) {
	exectest.RunAdvisor(t, advice.Builtin{}, failedCase())
	run := "  "
	var once sync.Once // a race would be found, too, and is not what this is about
	for want, x := range map[string]advice.Func{
		"between 0 and 1": func(context.Context, advice.Case) (advice.Advice, error) {
			return advice.Advice{Advisor: "x", Confidence: 70}, nil
		},
		"does not name its advisor": func(context.Context, advice.Case) (advice.Advice,
			error) {
			return advice.Advice{}, nil
		},
		"its patch": func(context.Context, advice.Case) (advice.Advice, error) {
			return advice.Advice{Advisor: "x", Patch: &advice.Patch{Run: &run}}, nil
		},
		"changed the case": func(_ context.Context, c advice.Case) (advice.Advice, error) {
			once.Do(func() { c.Step.Run = "boo" })
			return advice.Advice{Advisor: "x"}, nil
		},
		"ErrNothing": func(context.Context, advice.Case) (advice.Advice, error) {
			return advice.Advice{}, errors.New("broken")
		},
		"had not been stopped": func(context.Context, advice.Case) (advice.Advice,
			error) {
			return advice.Advice{Advisor: "x"}, nil
		},
	} {
		broken(t, want, func(t testing.TB) { exectest.RunAdvisor(t, x, failedCase()) })
	}
}
