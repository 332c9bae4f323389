package approval

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan/formats/intake"
)

// A Draft is what reviewers are asked about: a task, and how its steps would be
// done. Nothing of it has been carried out. What it points to must not be
// changed.
type Draft struct {
	Type       string   `json:"type"`   // "review"
	Schema     string   `json:"schema"` // Schema
	Run        string   `json:"run"`
	Goal       string   `json:"goal"`
	Task       string   `json:"task_id"`
	Title      string   `json:"title,omitempty"`
	Text       string   `json:"description,omitempty"`
	Priority   string   `json:"priority,omitempty"`
	Acceptance []string `json:"acceptance_criteria,omitempty"`
	Steps      []Step   `json:"steps"`
	Retry      int      `json:"retry_attempt"`      // 0 for the draft as planned
	Attempt    string   `json:"attempt_id"`         // as in "2/approval#1"
	Patch      string   `json:"patch_id,omitempty"` // what was changed since
	Feedback   []string `json:"feedback,omitempty"` // why it was rejected before

	Dir    string             `json:"dir,omitempty"` // the workspace
	Runner gate.CommandRunner `json:"-"`             // runs programs in the sandbox of the plan
}

// A Step of a draft.
type Step struct {
	Address     string   `json:"step"`
	Description string   `json:"description"`
	Run         string   `json:"run,omitempty"`
	Prompt      string   `json:"prompt,omitempty"`
	Executor    string   `json:"executor,omitempty"`
	Artifacts   []string `json:"expected_artifacts,omitempty"` // to be created or modified, and owed as evidence
	Patch       string   `json:"patch_id,omitempty"`           // where it is done otherwise than planned
}

// Schema names the form of a draft. Fields may be added to it; a change of
// meaning gets another number.
const Schema = "planlock.review/1"

// A Reviewer looks at drafts.
//
// Name is unique among the reviewers of a run, is not empty, and is the same on
// every call. Review returns what the reviewer says; an error means that it
// could not say anything, which counts as a rejection. It honours ctx, starts
// nothing that outlives the call, and changes nothing in the workspace. Calls
// for different drafts may be concurrent.
type Reviewer interface {
	Name() string
	Review(ctx context.Context, d Draft) (Review, error)
}

// A Func is a Reviewer made of a function that gives a contract; a nil contract
// is a rejection.
type Func struct {
	Label string
	Ask   func(ctx context.Context, d Draft) (*intake.Contract, error)
}

// Name is the label.
func (f Func) Name() string { return f.Label }

// Review calls the function.
func (f Func) Review(ctx context.Context, d Draft) (Review, error) {
	c, err := f.Ask(ctx, d)
	if err != nil {
		return Review{}, err
	}
	return reviewOf(f.Label, c), nil
}

// Ask asks reviewers one after another, and returns a review of each, in their
// order. A reviewer that fails, panics or is cut off has given no contract. The
// name of a review is the reviewer's, whatever it says itself.
func Ask(ctx context.Context, reviewers []Reviewer, d Draft) []Review {
	d.Type, d.Schema = "review", Schema
	var reviews []Review
	for _, r := range reviewers {
		reviews = append(reviews, ask(ctx, r, d))
	}
	return reviews
}

func ask(ctx context.Context, r Reviewer, d Draft) (review Review) {
	name := r.Name()
	defer func() {
		if p := recover(); p != nil {
			review = Review{Reviewer: name, Error: clip(fmt.Sprintf("the reviewer panicked: %v", p))}
		}
	}()
	d.Acceptance, d.Steps, d.Feedback = slices.Clone(d.Acceptance), slices.Clone(d.Steps), slices.Clone(d.Feedback)
	review, err := r.Review(ctx, d)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return Review{Reviewer: name, Error: clip(err.Error())}
	}
	review.Reviewer = name
	return review.bounded()
}

// Validate refuses nil and nameless reviewers, and two of one name. All that is
// wrong is joined.
func Validate(reviewers []Reviewer) error {
	var errs []error
	seen := map[string]bool{}
	for n, r := range reviewers {
		switch {
		case r == nil:
			errs = append(errs, fmt.Errorf("approval: reviewer %d is nil", n))
			continue
		case r.Name() == "":
			errs = append(errs, fmt.Errorf("approval: reviewer %d has no name", n))
		case seen[r.Name()]:
			errs = append(errs,
				fmt.Errorf("approval: reviewer %d: another reviewer is called %q; names must be unique", n, r.Name()))
		}
		seen[r.Name()] = true
	}
	return errors.Join(errs...)
}
