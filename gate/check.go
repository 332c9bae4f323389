package gate

import (
	"context"
	"fmt"
	"runtime"

	"github.com/planlock/planlock/plan"
)

// Decide decides a check of the plan with the kinds of checks of the pass. The
// error means "could not decide"; *UnknownCheckError if nobody knows the kind.
func (p *Pass) Decide(ctx context.Context, c plan.Check) (Verdict, error) {
	for _, k := range p.Checks {
		if k.Kind().Name != c.Kind {
			continue
		}
		if err := context.Cause(ctx); err != nil {
			return Verdict{}, fmt.Errorf("gate: check %q: %w", c.Kind, err)
		}
		return decide(ctx, k, p, c)
	}
	return Verdict{}, &UnknownCheckError{Kind: c.Kind}
}

// decide takes a panic for what it is: the check could not decide.
func decide(ctx context.Context, k Check, p *Pass, c plan.Check) (v Verdict, err error) {
	defer func() {
		if value := recover(); value != nil {
			stack := make([]byte, maxText)
			err = &PanicError{Name: "check " + c.Kind, Value: fmt.Sprint(value),
				Stack: string(stack[:runtime.Stack(stack, false)])}
		}
	}()
	return k.Decide(ctx, p, c)
}

// UnknownCheckError says that no check decides a kind.
type UnknownCheckError struct{ Kind string }

func (e *UnknownCheckError) Error() string {
	return fmt.Sprintf("gate: no check decides the kind %q; add one that does", e.Kind)
}
