package escalator

import (
	"context"
	"errors"

	"github.com/planlock/planlock/exec/ask"
)

// An Asker asks a question; it is the controller's escalator, named here
// because this package stands below the controller.
type Asker interface {
	Ask(ctx context.Context, q ask.Question) (ask.Answer, error)
}

// A Sequence asks one after the other until one answers: whoever returns
// [ask.ErrNoAnswer] passes the question on, and any other error ends it,
// [ask.ErrLater] too. An empty sequence has no answer.
type Sequence []Asker

// Ask returns the first answer. If nobody had one, the error is
// [ask.ErrNoAnswer] with everybody's reason.
func (s Sequence) Ask(ctx context.Context, q ask.Question) (ask.Answer, error) {
	var why []error
	for _, asker := range s {
		a, err := asker.Ask(ctx, q)
		if !errors.Is(err, ask.ErrNoAnswer) {
			return a, err
		}
		why = append(why, err)
	}
	if len(why) == 0 {
		return Refuse{}.Ask(ctx, q)
	}
	return ask.Answer{}, errors.Join(why...)
}
