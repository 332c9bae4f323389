package gate

import (
	"context"
	"errors"
	"fmt"
)

// ErrNoRunner says that a gate, a check or a reviewer needs to run a command,
// and the pass, or the request, has nothing to run it with.
var ErrNoRunner = errors.New("gate: there is no runner for commands; set Runner")

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

// A watched runner notes on the pass which command the gate waits for.
type watched struct {
	CommandRunner
	pass *Pass
}

func (w *watched) Run(ctx context.Context, c Command) (CommandResult, error) {
	done := w.pass.waiting(&wait{cause: Dependency, what: "the command " + c.String()})
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

// A handed pass is one for one gate, with what belongs to it.
type handed struct {
	pass   Pass
	report report
	runner watched
}

// Fresh copies the pass for one gate: with no findings, and with a runner that
// notes which command the gate waits for. The copy's fields refer to the same
// things.
func (p *Pass) Fresh() *Pass {
	h := &handed{pass: *p}
	own := &h.pass
	own.report = &h.report
	if own.Runner != nil {
		h.runner = watched{unwatched(own.Runner), own}
		own.Runner = &h.runner
	}
	return own
}
