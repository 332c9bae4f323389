package guard

import (
	"github.com/planlock/planlock/exec/contract"
)

// binding needs it to be known that nothing moved that the run is bound to, and
// that nobody changed the tree.
//
// What was looked at after the attempt before holds if nobody had the occasion
// to change anything since: what moves all the same is found after the next
// attempt, which is undone then. A step that cannot be undone is looked at for
// itself.
func binding(c *contract.Case) Verdict {
	own := contract.WithinTree(c.Step) || c.Seen.Of == c.Step.Address
	if !c.Seen.Holds(contract.Bindings) || !own {
		return Find(Look{What: contract.Bindings})
	}
	if !c.Seen.Holds(contract.Tree) {
		return Find(Look{What: contract.Tree})
	}
	return Pass()
}

// Bound is the guard of a step that goes on: see binding.
func Bound(c *contract.Case) Verdict { return binding(c) }
