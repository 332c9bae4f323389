package gate

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/plan"
)

// A Check decides one kind of plan.Check. The error means "could not decide". Decide reports nothing on
// pass itself: whoever asked does that. It may be called concurrently and obeys the rules of Gate.Judge.
type Check interface {
	Kind() string
	Decide(ctx context.Context, pass *Pass, c plan.Check) (Verdict, error)
}

// Decide decides a check of the plan with the kinds of checks of the pass.
// The error means "could not decide"; *UnknownCheckError if nobody knows the kind.
func (p *Pass) Decide(ctx context.Context, c plan.Check) (Verdict, error) {
	for _, k := range p.Checks {
		if k.Kind() != c.Kind {
			continue
		}
		if err := context.Cause(ctx); err != nil {
			return Verdict{}, fmt.Errorf("gate: check %q: %w", c.Kind, err)
		}
		return k.Decide(ctx, p, c)
	}
	return Verdict{}, &UnknownCheckError{Kind: c.Kind}
}

// UnknownCheckError says that no check decides a kind.
type UnknownCheckError struct{ Kind string }

func (e *UnknownCheckError) Error() string {
	return fmt.Sprintf("gate: no check decides the kind %q; add one that does", e.Kind)
}
