package exec

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/exec/ask"
)

// An Escalator asks a person, or applies what a person has configured.
//
// Ask blocks until there is an answer, ctx ends or the question's deadline
// passes. It returns [ask.ErrNoAnswer] when nobody will answer (the controller
// takes that as a refusal) and [ask.ErrWaiting] when the answer is to come
// later (the controller stops, and asks the same question again when the run is
// resumed). An answer that does not belong to the question is refused by the
// controller, whatever the escalator thinks of it. What an executor printed
// never answers.
type Escalator interface {
	Ask(ctx context.Context, q ask.Question) (ask.Answer, error)
}

// escalate asks; a panic of the escalator is a way to ask that is broken.
func escalate(ctx context.Context, x Escalator, q ask.Question) (a ask.Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("exec: the escalator panicked: %v", p)
		}
	}()
	return x.Ask(ctx, q)
}
