package ask

import "context"

// An Escalator asks a person, or applies what a person has configured.
//
// Ask blocks until there is an answer, ctx ends or the question's deadline
// passes. It returns [ErrNoAnswer] when nobody will answer (the controller takes
// that as a refusal) and [ErrLater] when the answer is to come later (the
// controller stops, and asks the same question again when the run is resumed).
// An answer that does not belong to the question is refused by the controller,
// whatever the escalator thinks of it. What an executor printed never answers.
type Escalator interface {
	Ask(ctx context.Context, q Question) (Answer, error)
}
