package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/identity"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/internal/process/environ"
	"github.com/planlock/planlock/internal/process/output"
)

// An Executor drives a program that speaks JSON lines. It must not be changed
// once it is in use, and may be used by many runs at a time.
type Executor struct {
	Args []string // the program and its arguments; a relative path is relative to the current folder
	Name string   // what messages call it; "": the file name of the program
}

// Execute starts the program, hands it the request and waits for the end of all
// that it started.
func (e *Executor) Execute(ctx context.Context, w exec.Work) (exec.Outcome, error) {
	if w.Runner == nil {
		return exec.Outcome{}, errors.New("program: no runner: Work.Runner is nil")
	}
	args, err := e.command()
	if err != nil {
		return exec.Outcome{}, err
	}
	switch other, err := identity.Replaced(args, w.Dir, w.Path); {
	case err != nil:
		return exec.Outcome{}, fmt.Errorf("program: %s: %w", e.name(), err)
	case other != "":
		return exec.Outcome{}, fmt.Errorf("program: %s: an earlier step has another file in place of %s, which is not run; "+
			"keep the program outside of the workspace: %w", e.name(), other, exec.ErrDeclined)
	}
	line, err := newRequest(w).line()
	if err != nil {
		return exec.Outcome{}, fmt.Errorf("program: request for %s: %w", e.name(), err)
	}
	var kept bounded
	events := &reader{name: e.name(), log: w.Output, spent: w.Spent,
		secrets: output.SecretsOf(environ.For(w.Sandbox.Env))}
	if events.log == nil {
		events.log = &kept
	}
	command := gate.Command{Args: args, Dir: w.Dir, Stdin: bytes.NewReader(line), Stdout: events}
	result, runErr := process.RunLive(ctx, w.Runner, command, events.log)
	events.end()
	outcome := events.outcome()
	outcome.Exit = result.Exit
	outcome.Output = kept.join(outcome.Output)
	if runErr != nil {
		return outcome, fmt.Errorf("program: %s: %w", e.name(), runErr)
	}
	return outcome, e.judge(events, result)
}

// CommandsOnly says that the executor touches the workspace by its program
// alone.
func (e *Executor) CommandsOnly() {}

// judge is why the attempt failed, or nil. The order is from what is surest: a
// status, the protocol, the program's word.
func (e *Executor) judge(events *reader, result gate.CommandResult) error {
	switch {
	case result.Exit != 0:
		return errors.Join(&ExitError{Name: e.name(), Code: result.Exit, Tail: tail(result.Output)}, events.reported())
	case events.fault != nil:
		return events.fault
	case events.result == nil && events.long:
		return e.broke("it ended without a result line, but wrote a line of more than %d bytes, which is no event",
			lineLimit)
	case events.result == nil:
		return e.broke("it ended without a result line; its last output: %q", tail(result.Output))
	}
	return events.reported()
}

// broke says which line of the protocol is missing.
func (e *Executor) broke(format string, args ...any) error {
	return &ProtocolError{Name: e.name(), Reason: fmt.Sprintf(format, args...)}
}

// command is Args with a relative path of the program made absolute.
func (e *Executor) command() ([]string, error) {
	if len(e.Args) == 0 || e.Args[0] == "" {
		return nil, errors.New("program: no program: Executor.Args is empty")
	}
	args := append([]string(nil), e.Args...)
	if filepath.Base(args[0]) != args[0] {
		path, err := filepath.Abs(args[0])
		if err != nil {
			return nil, fmt.Errorf("program: path of %q: %w", args[0], err)
		}
		args[0] = path
	}
	return args, nil
}

// name is what the executor is called in plans and journals: by itself, as its
// program.
func (e *Executor) name() string {
	if e.Name != "" || len(e.Args) == 0 {
		return e.Name
	}
	return filepath.Base(e.Args[0])
}

// tail is the end of text, for messages.
func tail(text string) string {
	const limit = 1 << 10
	text = strings.TrimSpace(text)
	if len(text) > limit {
		text = text[len(text)-limit:]
	}
	return strings.ToValidUTF8(text, "")
}
