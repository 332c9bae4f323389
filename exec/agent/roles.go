package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/advice/external"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/review"
)

// Validator is the agent as the reviewer of work that somebody else did, called
// "validator". It has no part in the work: it is shown what was changed, in an
// empty folder. It counts where whoever did the work is another agent, or the same
// with another model named.
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

// A reviewer is the agent as one.
type reviewer struct{ role }

// Name is the label.
func (r *reviewer) Name() string { return r.label }

// Review has the agent judge. review.ErrCrashed says that it ended without a word;
// then it may be asked once more.
func (r *reviewer) Review(ctx context.Context, q review.Request) (review.Review, error) {
	prompt, err := reviewerPrompt(&q)
	if err != nil {
		return review.Review{}, err
	}
	h, err := r.of.ask(ctx, prompt)
	var failed *FailedError
	switch {
	case errors.As(err, &failed):
		return review.Review{}, fmt.Errorf("%w: %w", review.ErrCrashed, err)
	case err != nil:
		return review.Review{}, err
	}
	answer, err := answerIn(h.word, "verdict")
	if err != nil && q.About != review.AboutWork {
		return review.Review{Error: err.Error()}, nil
	}
	var said review.Review
	if err != nil {
		err = fmt.Errorf("%w: %w", review.ErrAnswer, err)
	} else {
		said, err = q.Read(answer)
	}
	if err == nil && q.About == review.AboutWork && said.Digest != q.Digest {
		said, err = review.Review{}, fmt.Errorf("%w: its digest is %q, and it was asked about %q; what names no tree may be quoted",
			review.ErrAnswer, said.Digest, q.Digest)
	}
	if err != nil {
		return said, fmt.Errorf("%w (reviewer %q, %s)", err, r.label, r.of.agent.Name)
	}
	return said, nil
}

// reviewerPrompt is a request as an agent reads it.
func reviewerPrompt(q *review.Request) (string, error) {
	name := "reviewer"
	if q.About == review.AboutWork {
		name = "validator"
	}
	return draw(name, map[string]string{"Request": q.Prompt(), "Digest": string(q.Digest)})
}

// An advisor is the agent as one.
type advisor struct{ role }

// Advise has the agent propose.
func (a *advisor) Advise(ctx context.Context, c advice.Case) (advice.Advice, error) {
	if err := context.Cause(ctx); err != nil {
		return advice.Advice{}, err
	}
	prompt, err := a.prompt(ctx, c)
	if err != nil {
		return advice.Advice{}, err
	}
	h, err := a.of.ask(ctx, prompt)
	if err != nil {
		return advice.Advice{Advisor: a.of.agent.Name}, err
	}
	answer, err := answerIn(h.word, "")
	var said advice.Advice
	if err != nil {
		err = fmt.Errorf("%w: %w", external.ErrAnswer, err)
	} else {
		said, err = external.Read(c, answer)
	}
	said.Advisor = a.of.agent.Name
	said.Cost = history.AdviceCost{Calls: max(1, h.usage.Calls),
		Tokens: plus(h.usage.InputTokens, h.usage.OutputTokens)}
	return said, err
}

// A question is what the prompts of advisors say.
type question struct {
	Kind     advice.Kind
	Failed   bool
	Question string
	Files    []string
	Sources  []exec.Source
}

// Bounds of what an advisor is shown.
const (
	mostFiles   = 1000 // names of files
	mostSources = 5
	mostText    = 16 << 10 // bytes of one of them
)

// prompt is the case as a text. Research is shown the files that look as if they
// were about it, since the agent sees none itself.
func (a *advisor) prompt(ctx context.Context, c advice.Case) (string, error) {
	line, err := external.Question(c)
	if err != nil {
		return "", fmt.Errorf("agent: the question for %s: %w", a.of.agent.Name, err)
	}
	q := question{Kind: c.Kind, Failed: c.Point != advice.Task, Question: string(line)}
	switch c.Kind {
	case advice.Reflection, advice.Pivot:
		return draw("advisor", q)
	case advice.Research:
	default:
		return "", fmt.Errorf("%w: agents are not asked for advice of kind %q", advice.ErrNothing, c.Kind)
	}
	q.Files = c.Files
	if more := len(c.Files) - mostFiles; more > 0 {
		q.Files = append(c.Files[:mostFiles:mostFiles], fmt.Sprintf("and %d more", more))
	}
	found, err := advice.Builtin{}.Advise(ctx, c)
	if err != nil && !errors.Is(err, advice.ErrNothing) {
		return "", err
	}
	for _, name := range found.Sources[:min(len(found.Sources), mostSources)] {
		if text, ok := textOf(c, name); ok {
			q.Sources = append(q.Sources, exec.Source{Path: name, Text: text})
		}
	}
	return draw("researcher", q)
}

// textOf is the beginning of a file of the workspace.
func textOf(c advice.Case, name string) (string, bool) {
	f, err := c.Open(name)
	if err != nil {
		return "", false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostText+1))
	if err != nil {
		return "", false
	}
	if len(text) > mostText {
		return clip(string(text), mostText) + "…", true
	}
	return clip(string(text), mostText), true
}
