// Package external has reviewers that are programs, in any language: of plans and
// tasks (docs/pipeline.md) and of work (docs/validator-protocol.md).
package external

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/internal/consult"
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
	digest, err := p.program("", "").Identity()
	return digest, named(err)
}

// Limit is how long it may take for an answer.
func (p *Program) Limit() time.Duration { return cmp.Or(max(p.Timeout, 0), review.Timeout) }

// Review starts the program and reads its answer. gate.ErrNoRunner says that
// the request cannot run it, review.ErrCrashed that it ended with another status
// than 0.
func (p *Program) Review(ctx context.Context, r review.Request) (review.Review, error) {
	sent := r
	if sent.About == review.AboutWork {
		sent.Dir = ""
	}
	text, err := p.program(r.Dir, r.Path).Ask(ctx, r.Runner, sent)
	var crash *consult.CrashError
	switch {
	case errors.As(err, &crash):
		return review.Review{}, fmt.Errorf("%w: %w", review.ErrCrashed, err)
	case err != nil:
		return review.Review{}, named(err)
	}
	said, err := r.Read(text)
	if err != nil {
		err = fmt.Errorf("%w (reviewer %q)", err, p.Label)
	}
	return said, err
}

// program is who is asked, started in dir, which it sees at another path.
func (p *Program) program(dir, seen string) consult.Program {
	return consult.Program{Who: fmt.Sprintf("reviewer %q", p.Label), Args: p.Args,
		Run: p.Run, Dir: dir, Seen: seen, Limit: p.Limit()}
}

// named is an error with the name of the package; nil of nil.
func named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("external: %w", err)
}
