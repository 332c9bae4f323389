package approval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/planlock/planlock/gate"
)

// DefaultTimeout is how long a program may take for a review where it has no
// time of its own.
const DefaultTimeout = 120 * time.Second

// A Program is a Reviewer that starts a program for each draft. The draft is
// one line of JSON on its standard input; the contract is what it prints on
// standard output, whole or as one line among others. A status other than 0 is
// a rejection, whatever was printed. It runs in the sandbox of the plan. It
// must not be changed once it is in use.
type Program struct {
	Label   string        // its name as a reviewer
	Args    []string      // the program and its arguments, or
	Run     string        // a shell command
	Release string        // its version, which becomes part of the envelope
	Timeout time.Duration // 0: DefaultTimeout
}

// Name is the label.
func (p *Program) Name() string { return p.Label }

// Version is the release.
func (p *Program) Version(context.Context) (string, error) { return p.Release, nil }

// A TimeoutError says that a reviewer's program did not answer in time.
type TimeoutError struct {
	Reviewer string
	Limit    time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("approval: reviewer %q gave no contract within %v", e.Reviewer, e.Limit)
}

// ErrNoProgram is returned for a Program that names neither a program nor a
// command, or a draft that can run none.
var ErrNoProgram = errors.New("approval: nothing to run: set Program.Args or Program.Run, and Draft.Runner")

// Review starts the program and reads its contract.
func (p *Program) Review(ctx context.Context, d Draft) (Review, error) {
	if d.Runner == nil || len(p.Args) == 0 && p.Run == "" {
		return Review{}, fmt.Errorf("%w (reviewer %q)", ErrNoProgram, p.Label)
	}
	line, err := json.Marshal(d)
	if err != nil {
		return Review{}, fmt.Errorf("approval: draft for %q: %w", p.Label, err)
	}
	limit := p.Timeout
	if limit <= 0 {
		limit = DefaultTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &TimeoutError{p.Label, limit})
	defer cancel()
	answer := &answer{}
	result, err := d.Runner.Run(ctx, gate.Command{Args: p.Args, Run: p.Run, Dir: d.Dir,
		Stdin: bytes.NewReader(append(line, '\n')), Stdout: answer})
	switch {
	case ctx.Err() != nil:
		return Review{}, context.Cause(ctx)
	case err != nil:
		return Review{}, fmt.Errorf("approval: reviewer %q: %w", p.Label, err)
	case result.Exit != 0:
		return Review{}, fmt.Errorf("approval: reviewer %q ended with status %d: %s", p.Label, result.Exit,
			last(result.Output))
	}
	return Read(p.Label, answer.text), nil
}

// An answer keeps what a program prints, and a little more than is allowed, so
// that too much is seen to be too much.
type answer struct{ text []byte }

// Write never fails.
func (a *answer) Write(p []byte) (int, error) {
	a.text = append(a.text, p[:min(len(p), MaxAnswer+1-len(a.text))]...)
	return len(p), nil
}

// last is the end of what a program printed, for a message.
func last(text string) string {
	text = strings.TrimSpace(text)
	return clip(text[max(0, len(text)-200):])
}
