package shell

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/plan"
)

// An Executor runs a method's shell command, or a backup's tool with its
// arguments, in the workspace and in the step's sandbox. The zero value is
// ready, and may be used by many runs at a time.
type Executor struct{}

// phaseVariable is the environment variable that tells a command the phase of a
// step that writes its test first: "red", "green" or "refactor". Other commands
// do not have it.
const phaseVariable = "PLANLOCK_PHASE"

// Name is "shell": steps that ask for an executor of that name get this one.
func (*Executor) Name() string { return "shell" }

var _ exec.CommandsOnly = (*Executor)(nil)

// CommandsOnly says that the executor touches the workspace by commands alone.
func (*Executor) CommandsOnly() {}

// ErrNoCommand is returned for a method that has neither a shell command nor a
// tool.
var ErrNoCommand = errors.New("shell: nothing to run")

// An ExitError says that the command ran and failed.
type ExitError struct {
	Code int    // exit status; 128 plus the signal's number if a signal ended it
	Tail string // the last lines of its output, at most 1 KiB
}

// Error names the status and the last two lines of the output, which is text
// that nobody vouches for.
func (e *ExitError) Error() string {
	var last []string
	for _, line := range strings.Split(e.Tail, "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			last = append(last, line)
		}
	}
	if len(last) == 0 {
		return fmt.Sprintf("shell: exit status %d and no output", e.Code)
	}
	return fmt.Sprintf("shell: exit status %d: %s", e.Code, strings.Join(last[max(0, len(last)-2):], " "))
}

// Execute runs the command and waits until everything that it started has
// ended. The error is an *[ExitError] where the command ended with a status other
// than 0 that the step does not expect, and wraps context.Cause(ctx) where ctx
// ended it; then the outcome holds the output so far.
func (*Executor) Execute(ctx context.Context, w exec.Work) (exec.Outcome, error) {
	command := gate.Command{Run: w.Method.Run, Dir: w.Dir}
	for _, name := range slices.Sorted(maps.Keys(w.Method.Env)) {
		command.Env = append(command.Env, name+"="+w.Method.Env[name])
	}
	if w.Phase != "" {
		command.Env = append(command.Env, phaseVariable+"="+string(w.Phase))
	}
	switch {
	case w.Runner == nil:
		return exec.Outcome{}, errors.New("shell: no runner: Work.Runner is nil")
	case w.Method.Run != "":
	case w.Method.Tool != "":
		command.Args = append([]string{w.Method.Tool}, w.Method.ToolArgs...)
	default:
		return exec.Outcome{}, fmt.Errorf("%w: method %q of step %s has no run; %s", ErrNoCommand, w.Method.ID,
			address(w), hint(w))
	}
	result, shown, err := run(ctx, w, command)
	outcome := exec.Outcome{Output: result.Output, Stdout: result.Stdout, Exit: result.Exit}
	if shown {
		outcome.Output = ""
	}
	if err != nil {
		return outcome, fmt.Errorf("shell: %w", err)
	}
	if result.Exit != 0 && !expected(w.Step, result.Exit) {
		return outcome, &ExitError{Code: result.Exit, Tail: tail(result.Output)}
	}
	return outcome, nil
}

// expected reports whether a step asks for an exit status.
func expected(s *plan.Step, exit int) bool {
	return s != nil && s.Expect != nil && s.Expect.Exit != nil && *s.Expect.Exit == exit
}

// run shows the output live where the runner can, and says whether it did.
func run(ctx context.Context, w exec.Work, c gate.Command) (result gate.CommandResult, shown bool, err error) {
	if r, ok := w.Runner.(process.LiveRunner); ok && w.Output != nil {
		c.Stdout = w.Output
		result, err = r.RunLive(ctx, c, w.Output)
		return result, true, err
	}
	result, err = w.Runner.Run(ctx, c)
	return result, false, err
}

// address is the step's address, for messages.
func address(w exec.Work) string {
	if w.Step == nil {
		return "?"
	}
	return string(w.Step.Address)
}

// hint says how to mend a method without a command.
func hint(w exec.Work) string {
	if w.Method.Prompt != "" {
		return "it has a prompt: name an executor that drives an agent in its executor key"
	}
	return "add run = \"…\", or tool_path where it is a backup"
}

// tail is the end of text, from the start of a line where that leaves
// something.
func tail(text string) string {
	const limit = 1 << 10
	text = strings.TrimRight(text, "\n")
	if len(text) <= limit {
		return text
	}
	text = text[len(text)-limit:]
	if _, rest, ok := strings.Cut(text, "\n"); ok && rest != "" {
		return rest
	}
	return strings.ToValidUTF8(text, "")
}
