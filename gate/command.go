package gate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// A Command of a check or a gate.
type Command struct {
	Run  string   // a shell command, or
	Args []string // a program and its arguments
	Dir  string   // default: the workspace
	Env  []string // additional NAME=value

	Stdin  io.Reader // nil: empty
	Stdout io.Writer // gets standard output as it comes, whole; may be nil
}

// String is the command as a person would write it.
func (c Command) String() string {
	if c.Run != "" {
		return c.Run
	}
	return strings.Join(c.Args, " ")
}

// A CommandResult is how it ended.
type CommandResult struct {
	Exit   int
	Output string // standard output and error together, bounded, the tail kept
	Stdout string // bounded, the tail kept
	Took   time.Duration
}

// CommandRunner runs commands of gates: in the run's sandbox, with its
// environment, never outliving the call. The error is for a command that could
// not be run; a failing one has an Exit.
type CommandRunner interface {
	Run(ctx context.Context, c Command) (CommandResult, error)
}

// A watched runner notes on the pass which command the gate waits for.
type watched struct {
	CommandRunner
	pass *Pass
}

func (w *watched) Run(ctx context.Context, c Command) (CommandResult, error) {
	done := w.pass.waiting(&Wait{Cause: Dependency, What: "the command " + c.String()})
	defer done()
	return w.CommandRunner.Run(ctx, c)
}

// unwatched is the runner below the one that a copy of a pass was given.
func unwatched(r CommandRunner) CommandRunner {
	if w, ok := r.(*watched); ok {
		return w.CommandRunner
	}
	return r
}

// ErrNoRunner says that a gate or a check needs to run a command, and the pass
// has nothing to run it with.
var ErrNoRunner = errors.New("gate: the pass has no runner for commands; set Runner")

// Run runs a command with the pass's runner. The error is for a command that
// could not be run, [ErrNoRunner] if there is no runner; a failing one has an
// Exit.
func (p *Pass) Run(ctx context.Context, c Command) (CommandResult, error) {
	if p.Runner == nil {
		return CommandResult{}, ErrNoRunner
	}
	r, err := p.Runner.Run(ctx, c)
	if err != nil {
		return r, fmt.Errorf("gate: %q could not be run: %w", c.String(), err)
	}
	return r, nil
}
