package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// A Reviewer looks at what somebody else planned or did.
//
// Name is unique among the reviewers of a run, is not empty, and is the same on
// every call. Review returns what the reviewer says; an error means that it
// could not say anything, which counts as a rejection of a plan or task, and
// leaves work undecided. It honours ctx, starts nothing that outlives the call,
// and changes nothing in the workspace. Calls for different requests may be
// concurrent. A panic of either is an error of that reviewer.
type Reviewer interface {
	Name() string
	Review(ctx context.Context, r Request) (Review, error)
}

// A Func is a Reviewer made of a function. An empty review is a rejection.
// [Request.Read] makes a review of the answer of a model.
type Func struct {
	Label string
	Ask   func(ctx context.Context, r Request) (Review, error)
}

// Name is the label.
func (f Func) Name() string { return f.Label }

// Review calls the function.
func (f Func) Review(ctx context.Context, r Request) (Review, error) { return f.Ask(ctx, r) }

// Reviewers are those of a run.
type Reviewers []Reviewer

// Ask asks about a plan or a task, one reviewer after another, and returns a
// review of each, in their order. A reviewer that fails, panics or is cut off
// has given no contract. The name of a review is the reviewer's, whatever it
// says itself.
func (rs Reviewers) Ask(ctx context.Context, r Request) []Review {
	var reviews []Review
	for _, reviewer := range rs {
		review, err := ask(ctx, reviewer, r)
		if err != nil {
			review.Error = err.Error()
		}
		reviews = append(reviews, review.bounded())
	}
	return reviews
}

// ask asks one reviewer, with lists of its own. A panic is its error; so is the
// end of ctx, whatever it answered then.
func ask(ctx context.Context, reviewer Reviewer, r Request) (Review, error) {
	name, err := nameOf(reviewer)
	if err != nil {
		return Review{}, err
	}
	r.Type, r.Schema = "review", reviewSchema
	if r.About == AboutWork {
		r.Type, r.Schema = "validate", validateSchema
	}
	r.Acceptance, r.Steps = slices.Clone(r.Acceptance), slices.Clone(r.Steps)
	r.Hints, r.Ready = slices.Clone(r.Hints), slices.Clone(r.Ready)
	r.Feedback, r.Changes, r.Judged = slices.Clone(r.Feedback), slices.Clone(r.Changes), slices.Clone(r.Judged)
	review, err := answerOf(ctx, reviewer, r)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return Review{Reviewer: name}, err
	}
	if review.silent() {
		review.Error = "the reviewer gave none"
	}
	review.Reviewer = name
	return review, nil
}

func nameOf(reviewer Reviewer) (name string, err error) {
	defer caught(&err)
	return reviewer.Name(), nil
}

func answerOf(ctx context.Context, reviewer Reviewer, r Request) (review Review, err error) {
	defer caught(&err)
	return reviewer.Review(ctx, r)
}

// caught makes a panic an error.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the reviewer panicked: %v", p)
	}
}

// Validate refuses nil and nameless reviewers, and two of one name. All that is
// wrong is joined.
func (rs Reviewers) Validate() error {
	var errs []error
	seen := map[string]bool{}
	for n, r := range rs {
		if r == nil {
			errs = append(errs, fmt.Errorf("review: reviewer %d is nil", n))
			continue
		}
		name, err := nameOf(r)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("review: reviewer %d: %w", n, err))
		case name == "":
			errs = append(errs, fmt.Errorf("review: reviewer %d has no name", n))
		case seen[name]:
			errs = append(errs,
				fmt.Errorf("review: reviewer %d: another reviewer is called %q; names must be unique", n, name))
		}
		seen[name] = true
	}
	return errors.Join(errs...)
}
