package advice

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Sequence asks advisors one after another and returns the first advice. What
// all of them cost is added up in it. Where none has anything to say, the error
// wraps [ErrNothing] if all of them said so, and what they said.
func Sequence(advisors ...Advisor) Advisor {
	return Func(func(ctx context.Context, c Case) (Advice, error) {
		var failed []error
		for _, a := range advisors {
			advice, err := a.Advise(ctx, c)
			if err == nil {
				return advice, nil
			}
			failed = append(failed, err)
			if ctx.Err() != nil {
				break
			}
		}
		if len(failed) == 0 {
			return Advice{}, fmt.Errorf("%w: no advisor is there", ErrNothing)
		}
		return Advice{}, errors.Join(failed...)
	})
}

// Builtin are the advisors of this package, one after another. They need no model
// and no network.
func Builtin() Advisor {
	return Sequence(Reflector{}, Researcher{}, Pivoter{}, Feasibility{})
}

// Bounded is a with a time limit for every advice. What does not come in time is an error.
func Bounded(a Advisor, limit time.Duration) Advisor {
	return Func(func(ctx context.Context, c Case) (Advice, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("advice: nothing came within %s", limit))
		defer cancel()
		return a.Advise(ctx, c)
	})
}
