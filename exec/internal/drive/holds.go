package drive

import (
	"slices"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/internal/engine"
	"github.com/planlock/planlock/plan"
)

// holds counts how often guards of the host held up a step since a step began
// last. It is no part of the journal: a run that is resumed begins anew.
type holds map[hold]int

type hold struct {
	guard string
	step  plan.Address
}

// tooOften counts what is wanted, and reports whether a guard among those of
// the host never lets its step pass.
func (h holds) tooOften(w engine.Wanted, host []guard.Guard) bool {
	if _, begins := w.Action.(engine.Begin); begins {
		clear(h)
	}
	if !slices.ContainsFunc(host, func(g guard.Guard) bool { return g.Name() == w.Guard }) {
		return false
	}
	by := hold{w.Guard, w.Step}
	h[by]++
	return h[by] > guard.MostHolds
}
