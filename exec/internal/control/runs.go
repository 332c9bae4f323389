package control

import (
	"context"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/testfirst"
)

// runs are the commands that a check ran, and how they ended.
type runs struct {
	gate.CommandRunner
	ended []gate.CommandResult
}

// Run runs a command, and notes how it ended.
func (r *runs) Run(ctx context.Context, c gate.Command) (gate.CommandResult, error) {
	result, err := r.CommandRunner.Run(ctx, c)
	r.ended = append(r.ended, result)
	return result, err
}

// nothing says why a check that does not hold has told nothing; "" if it has.
func (r *runs) nothing() string {
	if len(r.ended) == 0 {
		return ""
	}
	last := r.ended[len(r.ended)-1]
	return testfirst.Nothing(last.Exit, last.Output)
}
