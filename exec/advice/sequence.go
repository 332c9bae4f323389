package advice

import (
	"context"
	"errors"
	"fmt"
)

// Sequence asks advisors one after another and returns the first advice. Where
// there is none, the error joins what went wrong, and leaves out who merely had
// nothing to say. If nothing went wrong it wraps [ErrNothing] and is the reason
// of the first of them.
func Sequence(advisors ...Advisor) Advisor {
	return Func(func(ctx context.Context, c Case) (Advice, error) {
		var failed []error
		var nothing error
		var silent Advice // who had nothing to say first, and what that one looked for
		for _, a := range advisors {
			advice, err := a.Advise(ctx, c)
			switch {
			case err == nil:
				return advice, nil
			case !errors.Is(err, ErrNothing):
				failed = append(failed, err)
			case nothing == nil:
				silent, nothing = advice, err
			}
			if ctx.Err() != nil {
				break
			}
		}
		switch {
		case failed != nil:
			return Advice{}, errors.Join(failed...)
		case nothing != nil:
			return silent, nothing
		}
		return Advice{}, fmt.Errorf("%w: no advisor is there", ErrNothing)
	})
}
