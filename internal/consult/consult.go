// Package consult asks a program one question: a line of JSON on its standard
// input, and what it prints is the answer. Reviewers and advisors that are
// programs are asked so.
package consult

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/identity"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/ledger"
)

// MaxAnswer is how many bytes of an answer are read. An answer of more has
// MaxAnswer+1, so that too much is seen to be too much.
const MaxAnswer = 1 << 20

// A Program answers questions.
type Program struct {
	Who   string        // who is asked, for messages: `reviewer "ops"`
	Args  []string      // the program and its arguments, or
	Run   string        // a shell command
	Dir   string        // where it is started; empty: where the runner starts commands
	Seen  string        // where the runner shows Dir to programs; "": as Dir
	Limit time.Duration // how long it may take
}

// ErrNothingToRun says that a Program names neither a program nor a command.
var ErrNothingToRun = errors.New("nothing to run: set Args or Run")

// ErrReplaced says that what is judged has another file in place of one of the
// program. Nothing was started.
var ErrReplaced = errors.New("the work has another one in place of a file of its program; keep that outside of the workspace, or have it as it was")

// A CrashError says that a program ended with another status than 0: it did not
// answer, whatever it printed.
type CrashError struct {
	Who  string
	Exit int
	Last string // the end of what it printed
}

func (e *CrashError) Error() string {
	if e.Last == "" {
		return fmt.Sprintf("%s ended with status %d and no output", e.Who, e.Exit)
	}
	return fmt.Sprintf("%s ended with status %d: %s", e.Who, e.Exit, e.Last)
}

// Ask starts the program by runner and returns what it printed on standard output.
// gate.ErrNoRunner: there is no runner. context.DeadlineExceeded is in the error
// of a program that took too long, [*CrashError] one that ended with another
// status than 0.
func (p Program) Ask(ctx context.Context, runner gate.CommandRunner, question any) ([]byte, error) {
	switch {
	case len(p.Args) == 0 && p.Run == "":
		return nil, fmt.Errorf("%s: %w", p.Who, ErrNothingToRun)
	case runner == nil:
		return nil, fmt.Errorf("%s: %w", p.Who, gate.ErrNoRunner)
	}
	switch other, err := identity.Replaced(p.Args, p.Dir, p.Seen); {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", p.Who, err)
	case other != "":
		return nil, fmt.Errorf("%s: %w: %s", p.Who, ErrReplaced, other)
	}
	line, err := json.Marshal(question)
	if err != nil {
		return nil, fmt.Errorf("the question for %s: %w", p.Who, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.Limit, &LateError{p.Who, p.Limit})
	defer cancel()
	said := &answer{}
	result, err := runner.Run(ctx, gate.Command{Args: p.Args, Run: p.Run, Dir: p.Dir,
		Stdin: bytes.NewReader(append(safetext.JSON(line), '\n')), Stdout: said})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", p.Who, err)
	case result.Exit != 0:
		return nil, &CrashError{p.Who, result.Exit, last(result.Output)}
	}
	return said.text, nil
}

// A LateError says who gave no answer in time.
type LateError struct {
	Who   string
	Limit time.Duration
}

func (e *LateError) Error() string { return fmt.Sprintf("%s gave no answer within %v", e.Who, e.Limit) }

// Unwrap is context.DeadlineExceeded.
func (*LateError) Unwrap() error { return context.DeadlineExceeded }

// Identity is the digest of the program and its arguments, of the content of
// those that are absolute paths of files; or of the shell command.
func (p Program) Identity() (string, error) {
	if len(p.Args) == 0 {
		return string(ledger.Sum([]byte(p.Run))), nil
	}
	digest, err := identity.OfProgram(p.Args)
	if err != nil {
		return "", fmt.Errorf("%s: %w", p.Who, err)
	}
	return string(digest), nil
}

// An answer keeps what a program prints.
type answer struct{ text []byte }

// Write never fails.
func (a *answer) Write(p []byte) (int, error) {
	a.text = append(a.text, p[:min(len(p), MaxAnswer+1-len(a.text))]...)
	return len(p), nil
}

// last is the end of what a program printed, for a message.
func last(text string) string {
	text = strings.TrimSpace(text)
	return strings.ToValidUTF8(text[max(0, len(text)-200):], "\uFFFD")
}
