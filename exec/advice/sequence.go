package advice

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Sequence asks advisors one after another and returns the first advice. Where
// there is none, the error joins what went wrong, and leaves out who merely had
// nothing to say. If nothing went wrong it wraps [ErrNothing] and is one
// reason: the first of an advisor of this package that serves the kind, or of a
// host's.
func Sequence(advisors ...Advisor) Advisor {
	return Func(func(ctx context.Context, c Case) (Advice, error) {
		var failed []error
		var nothing error
		for _, a := range advisors {
			advice, err := a.Advise(ctx, c)
			switch {
			case err == nil:
				return advice, nil
			case !errors.Is(err, ErrNothing):
				failed = append(failed, err)
			case nothing == nil, errors.Is(nothing, errOther) && !errors.Is(err, errOther):
				nothing = err
			}
			if ctx.Err() != nil {
				break
			}
		}
		switch {
		case failed != nil:
			return Advice{}, errors.Join(failed...)
		case nothing != nil:
			return Advice{}, nothing
		}
		return Advice{}, fmt.Errorf("%w: no advisor is there", ErrNothing)
	})
}

// Builtin are the advisors of this package, each for the kind of advice that it
// gives. They need no model and no network.
func Builtin() Advisor {
	return Func(func(ctx context.Context, c Case) (Advice, error) {
		switch c.Kind {
		case Reflection:
			return Reflector{}.Advise(ctx, c)
		case Research:
			return Researcher{}.Advise(ctx, c)
		case Pivot:
			return Pivoter{}.Advise(ctx, c)
		case Feasible:
			return Feasibility{}.Advise(ctx, c)
		}
		return Advice{}, fmt.Errorf("%w: no advisor is there for advice of kind %q", ErrNothing, c.Kind)
	})
}

// Bounded is a with a time limit for every advice. What does not come in time
// is an error.
func Bounded(a Advisor, limit time.Duration) Advisor {
	return Func(func(ctx context.Context, c Case) (Advice, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("advice: nothing came within %s", limit))
		defer cancel()
		return a.Advise(ctx, c)
	})
}
