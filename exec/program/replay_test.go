package program_test

import (
	"context"

	"github.com/planlock/planlock/gate"
)

// replay is a runner that plays a program's output, a byte at a time at first.
type replay []byte

func (r replay) Run(_ context.Context, c gate.Command) (gate.CommandResult, error) {
	for i := range r {
		if i == 100 {
			if _, err := c.Stdout.Write(r[i:]); err != nil {
				return gate.CommandResult{}, err
			}
			break
		}
		if _, err := c.Stdout.Write(r[i : i+1]); err != nil {
			return gate.CommandResult{}, err
		}
	}
	return gate.CommandResult{Stdout: string(r), Output: string(r)}, nil
}
