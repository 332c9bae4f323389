package escalator

import (
	"context"
	"errors"

	"github.com/planlock/planlock/exec/ask"
)

// A Sequence asks one after the other until one answers: whoever returns
// [ask.ErrNoAnswer] passes the question on, and any other error ends it,
// [ask.ErrLater] too. An empty sequence has no answer.
type Sequence []ask.Escalator

// Ask returns the first answer. If nobody had one, the error is
// [ask.ErrNoAnswer] with everybody's reason.
func (s Sequence) Ask(ctx context.Context, q ask.Question) (ask.Answer, error) {
	var why []error
	for _, x := range s {
		a, err := x.Ask(ctx, q)
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
