package review

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

// timeout is how long a reviewer of work may take, and a program that has no
// time of its own.
const timeout = 120 * time.Second

// A Program is a Reviewer that starts a program for each request. The request
// is one line of JSON on its standard input; the answer is what it prints on
// standard output, as [Request.Read] reads it. A status other than 0 is an
// error, whatever was printed. It runs in the sandbox of the plan. It must not
// be changed once it is in use.
type Program struct {
	Label   string        // its name as a reviewer
	Args    []string      // the program and its arguments, or
	Run     string        // a shell command
	Release string        // its version, which becomes part of the envelope
	Timeout time.Duration // 0: 120 seconds
}

// Name is the label.
func (p *Program) Name() string { return p.Label }

// Version is the release.
func (p *Program) Version(context.Context) (string, error) { return p.Release, nil }

// Identity is the digest of the program and its arguments, of the content of
// those that are absolute paths of files; or of the shell command.
func (p *Program) Identity(context.Context) (string, error) {
	if len(p.Args) == 0 {
		return string(ledger.Sum([]byte(p.Run))), nil
	}
	digest, err := identity.OfProgram(p.Args)
	if err != nil {
		return "", fmt.Errorf("review: reviewer %q: %w", p.Label, err)
	}
	return string(digest), nil
}

// errNoProgram is returned for a Program that names neither a program nor a
// command.
var errNoProgram = errors.New("review: nothing to run: set Program.Args or Program.Run")

// Review starts the program and reads its answer. gate.ErrNoRunner says that
// the request cannot run it.
func (p *Program) Review(ctx context.Context, r Request) (Review, error) {
	switch {
	case len(p.Args) == 0 && p.Run == "":
		return Review{}, fmt.Errorf("%w (reviewer %q)", errNoProgram, p.Label)
	case r.Runner == nil:
		return Review{}, fmt.Errorf("review: reviewer %q: %w", p.Label, gate.ErrNoRunner)
	}
	line, err := json.Marshal(r)
	if err != nil {
		return Review{}, fmt.Errorf("review: request for %q: %w", p.Label, err)
	}
	limit := p.Timeout
	if limit <= 0 {
		limit = timeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit,
		fmt.Errorf("review: reviewer %q gave no answer within %v: %w", p.Label, limit, context.DeadlineExceeded))
	defer cancel()
	answer := &answer{}
	result, err := r.Runner.Run(ctx, gate.Command{Args: p.Args, Run: p.Run, Dir: r.Dir,
		Stdin: bytes.NewReader(append(safetext.JSON(line), '\n')), Stdout: answer})
	switch {
	case ctx.Err() != nil:
		return Review{}, context.Cause(ctx)
	case err != nil:
		return Review{}, fmt.Errorf("review: reviewer %q: %w", p.Label, err)
	case result.Exit != 0:
		return Review{}, fmt.Errorf("review: reviewer %q ended with status %d: %s", p.Label, result.Exit,
			last(result.Output))
	}
	return r.Read(answer.text)
}

// An answer keeps what a program prints, and a little more than is allowed, so
// that too much is seen to be too much.
type answer struct{ text []byte }

// Write never fails.
func (a *answer) Write(p []byte) (int, error) {
	a.text = append(a.text, p[:min(len(p), maxAnswer+1-len(a.text))]...)
	return len(p), nil
}

// last is the end of what a program printed, for a message.
func last(text string) string {
	text = strings.TrimSpace(text)
	return clip(text[max(0, len(text)-200):])
}
