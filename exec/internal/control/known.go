package control

import (
	"slices"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// known is what the run says already of a check on the tree before the work; ""
// if it says nothing. It holds there if it is a check of the step that left this
// tree, and whatever a step found that began with the tree is so again.
func (c *Case) known(check plan.Check) history.ControlResult {
	before, over := c.Pass.Before.Digest(), c.Work.Rec.Run.Concluded()
	for _, s := range slices.Backward(over) {
		if s.Completed == nil {
			continue
		}
		if s.Completed.Snapshot.Tree == before && held(c.Contract, s, check) {
			return history.ControlHolds
		}
		break
	}
	for _, s := range over {
		if s.Checkpoint == nil || s.Checkpoint.Checkpoint.Tree != before {
			break
		}
		if last := s.Last(); last != nil {
			if seen := last.Controlled.Of(check.String()); seen != nil && seen.Before != history.ControlUndecided {
				return seen.Before
			}
		}
	}
	return ""
}

// held reports whether a check is one of those without which a completed step
// would not have been completed.
func held(contract *guard.Contract, s *history.Step, check plan.Check) bool {
	_, step := contract.At(s.Address)
	return step != nil && slices.ContainsFunc(step.Postconditions, func(p plan.Check) bool {
		return p.String() == check.String()
	})
}
