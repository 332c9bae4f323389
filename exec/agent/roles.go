package agent

import (
	"context"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/gate/review"
)

// answerTime is how long an agent may take that is asked for its word.
const answerTime = 5 * time.Minute

// Validator is the agent as the reviewer of work that somebody else did, called
// "validator". It has no part in the work: it is shown what was changed, in an
// empty folder.
func (e *Executor) Validator() review.Reviewer { return e.Reviewer("validator") }

// Reviewer is the agent as a reviewer of plans, tasks and work, called label.
func (e *Executor) Reviewer(label string) review.Reviewer { return &reviewer{role{e, label}} }

// Advisor is the agent as who is asked after a failure.
func (e *Executor) Advisor() advice.Advisor { return &advisor{role{e, "advisor"}} }

// Researcher is the agent as who is asked what should be known.
func (e *Executor) Researcher() advice.Advisor { return &advisor{role{e, "researcher"}} }

// A role is the agent as somebody who is asked for a word. It has the identity,
// the version and the needs of the executor.
type role struct {
	of    *Executor
	label string
}

// Version is that of the agent.
func (r role) Version(ctx context.Context) (string, error) { return r.of.Version(ctx) }

// Identity is that of the executor: whoever does the work does not review it.
func (r role) Identity(ctx context.Context) (string, error) { return r.of.Identity(ctx) }

// Needs are those of the agent.
func (r role) Needs(ctx context.Context) (exec.Needs, error) { return r.of.Needs(ctx) }

// Limit is how long it may take for an answer.
func (r role) Limit() time.Duration { return answerTime }

type reviewer struct{ role }

func (r *reviewer) Name() string { return r.label }

func (r *reviewer) Review(ctx context.Context, q review.Request) (review.Review, error) {
	return review.Review{}, errNotYet
}

type advisor struct{ role }

func (a *advisor) Advise(ctx context.Context, c advice.Case) (advice.Advice, error) {
	return advice.Advice{}, errNotYet
}
