package gate

import (
	"context"
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
	// Private is a folder outside of the workspace that this command alone sees,
	// and may write to: exec.Work.Home, or "".
	Private string
	// Compiles says that it runs no code of the tree. What it leaves in caches
	// is then there for other commands that judge.
	Compiles bool

	// Stdin is read as the command takes it in; nil: empty. When the command has
	// ended, a reader that still waits for more is left to itself: what it then
	// reads is lost. A file is given to the command as it is.
	Stdin  io.Reader
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
