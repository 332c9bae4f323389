// Package trusted marks the built-in gates: they are known to change nothing in
// the workspace but by the commands that they run, so that nobody has to scan
// it after them. A host's gate is promised to change nothing, and that is
// looked after.
package trusted

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/gate"
)

// New makes a built-in gate. Where ask says so of a pass it need not be
// watched; nil: it never says so. judge need not look whether there is a step:
// a pass without one is refused before, but in the phases that have none.
func New(info gate.Info, ask func(*gate.Pass) bool, judge func(context.Context, *gate.Pass) error) gate.Gate {
	if ask == nil {
		ask = func(*gate.Pass) bool { return false }
	}
	return &builtIn{ask: ask, Gate: gate.New(info, func(ctx context.Context, pass *gate.Pass) error {
		if pass.Step == nil && pass.Phase != gate.Planning && pass.Phase != gate.Final {
			return fmt.Errorf("%s: the pass has no step", info.Name)
		}
		return judge(ctx, pass)
	})}
}

// Is reports whether a gate is a built-in one.
func Is(g gate.Gate) bool {
	_, ok := g.(*builtIn)
	return ok
}

type builtIn struct {
	gate.Gate
	ask func(*gate.Pass) bool
}

var _ gate.Quick = (*builtIn)(nil)

// Quick reports whether nobody has to watch the gate.
func (b *builtIn) Quick(pass *gate.Pass) bool { return b.ask(pass) }
