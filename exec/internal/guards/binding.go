package guards

import (
	"github.com/planlock/planlock/exec/guard"
)

// binding needs it to be known that nothing moved that the run is bound to, and
// that nobody changed the tree.
//
// What was looked at after the attempt before holds if nobody had the occasion
// to change anything since: what moves all the same is found after the next
// attempt, which is undone then. A step that cannot be undone is looked at for
// itself.
func binding(c *guard.Case) guard.Verdict {
	own := c.Step.WithinTree() || c.Seen.Of == c.Step.Address
	if !c.Seen.Holds(guard.Bindings) || !own {
		return guard.Look(guard.Bindings)
	}
	if !c.Seen.Holds(guard.Tree) {
		return guard.Look(guard.Tree)
	}
	if c.Run.Started.Layered() && !c.Seen.Holds(guard.Workspace) {
		return guard.Look(guard.Workspace)
	}
	return guard.Pass()
}

// Bound is the guard of a step that goes on: see binding.
func Bound(c *guard.Case) guard.Verdict { return binding(c) }
