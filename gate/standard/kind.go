package standard

import (
	"context"
	"errors"
	"fmt"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// A kind is a Check made of a function.
type kind struct {
	name   string
	decide func(ctx context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error)
	args   string // for the manual
	doc    string
}

// Doc says which arguments the kind takes and when it holds, for the manual.
func (k kind) Doc() (args, doc string) { return k.args, k.doc }

func (k kind) Kind() string { return k.name }

func (k kind) Decide(ctx context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error) {
	return k.decide(ctx, pass, c)
}

// ErrNoRunner says that a check needs to run a command and the pass has nothing to run it with.
var ErrNoRunner = errors.New("standard: the pass has no runner for commands; set Runner")

// run runs a command for a check.
func run(ctx context.Context, pass *gate.Pass, c gate.Command) (gate.CommandResult, error) {
	if pass.Runner == nil {
		return gate.CommandResult{}, ErrNoRunner
	}
	r, err := pass.Runner.Run(ctx, c)
	if err != nil {
		return r, fmt.Errorf("standard: %q could not be run: %w", c.String(), err)
	}
	return r, nil
}

// tail is the end of an output, short enough for a finding.
func tail(text string) string {
	const most = 2000
	if len(text) <= most {
		return text
	}
	return "…" + text[len(text)-most:]
}
