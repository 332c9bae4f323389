package process

import (
	"context"
	"io"

	"github.com/planlock/planlock/gate"
)

// A LiveRunner also passes on standard error as it comes.
type LiveRunner interface {
	gate.CommandRunner
	RunLive(ctx context.Context, c gate.Command, stderr io.Writer) (gate.CommandResult, error)
}

// RunLive runs a command on any runner. Where that is no [LiveRunner], stderr gets
// nothing.
func RunLive(ctx context.Context, r gate.CommandRunner, c gate.Command, stderr io.Writer) (gate.CommandResult, error) {
	if live, ok := r.(LiveRunner); ok {
		return live.RunLive(ctx, c, stderr)
	}
	return r.Run(ctx, c)
}
