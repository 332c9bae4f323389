package advice

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/exec/history"
)

// Builtin gives every kind of advice, and needs no model and no network. The
// zero value is ready.
//
//   - [Reflection] goes through stages: signals are collected (R0) and normalised
//     (R1), mined for known errors (R2), the root cause is weighed (R3), a note
//     written (R4), a patch built where one is known (R5), and the risk scored
//     (R6). It proposes a patch only where it knows one; its confidence in a
//     cause that it merely guesses stays below [Threshold]. What worked before is
//     told to whoever follows a prompt, where no other patch is known or it is more
//     certain.
//   - [Research] looks in the workspace for what a task, or a failure, is about:
//     in the files that it names, then in those whose names or texts have its
//     words. It reads at most five files and reports the lines that have the words
//     of the question; its confidence is the share of the words that it found
//     anywhere.
//   - [Pivot] proposes other approaches by kind of failure, the most promising
//     first: what worked before, then what commonly helps. One that was proposed
//     earlier in this run for the same step is not proposed again.
//   - [Feasible] weighs a plan against the pattern that it was made from; other
//     patterns are its alternatives.
type Builtin struct {
	// Memory is what worked before, by root cause; nil knows nothing. Package
	// learn yields it.
	Memory map[string][]history.Approach
	// Similar finds at most k patterns like the named one, the most similar
	// first, each as confident as it is similar, its source being where it is
	// described. Nil knows none.
	Similar func(ctx context.Context, pattern string, k int) ([]history.Approach, error)
}

// Advise gives advice of the kind that the case asks for. [ErrNothing] where
// there is nothing to say, and for kinds that nobody knows.
func (b Builtin) Advise(ctx context.Context, c Case) (Advice, error) {
	if err := context.Cause(ctx); err != nil {
		return Advice{}, err
	}
	switch c.Kind {
	case Reflection:
		return reflect(c, b.Memory), nil
	case Research:
		return research(ctx, c)
	case Pivot:
		return pivot(c, b.Memory)
	case Feasible:
		return feasible(ctx, c, b.Similar)
	}
	return Advice{}, fmt.Errorf("%w: no advisor is there for advice of kind %q", ErrNothing, c.Kind)
}
