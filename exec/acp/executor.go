package acp

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/planlock/planlock/exec"
)

// DefaultSilence is how long an agent may show no sign of life.
const DefaultSilence = 10 * time.Minute

// An Executor drives an agent by the Agent Client Protocol. It must not be
// changed once it is in use, and may be used by many runs at a time.
type Executor struct {
	// Args are the program and its arguments, as in "gemini", "--acp". A relative
	// path of the program is relative to the current folder.
	Args []string
	// Env are NAME=value pairs for its process alone.
	Env []string
	// Label is what plans and messages call it; "": the file name of the program.
	Label string
	// Model is the one that it is to use, by the id or the name that the agent
	// has for it; "": its own choice.
	Model string
	// Mode is the mode that a session is to have, by the agent's id or name; "":
	// its own choice.
	Mode string
	// Prompt is what the agent is told of an attempt; nil: [Prompt]. Where an
	// attempt goes on with the conversation of an earlier one, the agent is told
	// its feedback instead.
	Prompt func(exec.Work) string
	// Silence is for how long the agent may say nothing, on either of its
	// streams: 0 is [DefaultSilence], below 0 for ever. It is no time-out, which
	// the plan has.
	Silence time.Duration
	// Login is what a person types to log in to the agent, for messages; "": not
	// known.
	Login string
}

// CommandsOnly says that the executor touches the workspace by its program
// alone.
func (e *Executor) CommandsOnly() {}

// Name is what plans call the executor.
func (e *Executor) Name() string {
	if e.Label != "" || len(e.Args) == 0 {
		return e.Label
	}
	return filepath.Base(e.Args[0])
}

// Execute starts the agent, tells it what to do, answers what it asks, and
// waits for the end of all that it started.
func (e *Executor) Execute(ctx context.Context, w exec.Work) (exec.Outcome, error) {
	return exec.Outcome{}, errors.New("acp: not built yet")
}

// Version asks the agent for its name and version, in an empty folder.
func (e *Executor) Version(ctx context.Context) (string, error) {
	return "", errors.New("acp: not built yet")
}
