// Package external has reviewers that are programs, in any language: of plans and
// tasks (docs/pipeline.md) and of work (docs/validator-protocol.md).
package external

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/internal/identity"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/ledger"
)

// A Program is a [review.Reviewer] that starts a program for each request. The request
// is one line of JSON on its standard input; the answer is what it prints on
// standard output, as [review.Request.Read] reads it. A status other than 0 is an
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
		return "", fmt.Errorf("external: reviewer %q: %w", p.Label, err)
	}
	return string(digest), nil
}

// errNoProgram is returned for a Program that names neither a program nor a
// command.
var errNoProgram = errors.New("external: nothing to run: set Program.Args or Program.Run")

// Limit is how long it may take for an answer.
func (p *Program) Limit() time.Duration { return cmp.Or(max(p.Timeout, 0), review.Timeout) }

// Review starts the program and reads its answer. gate.ErrNoRunner says that
// the request cannot run it.
func (p *Program) Review(ctx context.Context, r review.Request) (review.Review, error) {
	switch {
	case len(p.Args) == 0 && p.Run == "":
		return review.Review{}, fmt.Errorf("%w (reviewer %q)", errNoProgram, p.Label)
	case r.Runner == nil:
		return review.Review{}, fmt.Errorf("external: reviewer %q: %w", p.Label, gate.ErrNoRunner)
	}
	sent := r
	if sent.About == review.AboutWork {
		sent.Dir = ""
	}
	line, err := json.Marshal(sent)
	if err != nil {
		return review.Review{}, fmt.Errorf("external: request for %q: %w", p.Label, err)
	}
	limit := p.Limit()
	ctx, cancel := context.WithTimeoutCause(ctx, limit,
		fmt.Errorf("external: reviewer %q gave no answer within %v: %w", p.Label, limit, context.DeadlineExceeded))
	defer cancel()
	answer := &answer{}
	result, err := r.Runner.Run(ctx, gate.Command{Args: p.Args, Run: p.Run, Dir: r.Dir,
		Stdin: bytes.NewReader(append(safetext.JSON(line), '\n')), Stdout: answer})
	switch {
	case ctx.Err() != nil:
		return review.Review{}, context.Cause(ctx)
	case err != nil:
		return review.Review{}, fmt.Errorf("external: reviewer %q: %w", p.Label, err)
	case result.Exit != 0:
		return review.Review{}, fmt.Errorf("%w: reviewer %q ended with status %d: %s", review.ErrCrashed, p.Label,
			result.Exit, last(result.Output))
	}
	said, err := r.Read(answer.text)
	if err != nil {
		err = fmt.Errorf("%w (reviewer %q)", err, p.Label)
	}
	return said, err
}

// An answer keeps what a program prints, and a little more than is allowed, so
// that too much is seen to be too much.
type answer struct{ text []byte }

// Write never fails.
func (a *answer) Write(p []byte) (int, error) {
	a.text = append(a.text, p[:min(len(p), review.MaxAnswer+1-len(a.text))]...)
	return len(p), nil
}

// last is the end of what a program printed, for a message.
func last(text string) string {
	text = strings.TrimSpace(text)
	return strings.ToValidUTF8(text[max(0, len(text)-200):], "\uFFFD")
}
