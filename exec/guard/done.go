package guard

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// done leaves a step out whose work the lock says is done. What the step
// declares must hold when its turn comes: a word that the workspace contradicts
// stops the run before the step.
func done(c *contract.Case) Verdict {
	if !slices.Contains(c.Run.Started.Acknowledged, plan.DoneCode(c.Step.Address)) {
		return Pass()
	}
	if !c.Seen.Holds(contract.Done) {
		return Find(Look{What: contract.Done})
	}
	why := "acknowledged as done"
	if len(c.Seen.For) > 0 {
		why += ": " + strings.Join(c.Seen.For, "; ")
	}
	return Record(&history.StepSkipped{Why: why, By: "the lock", Done: true})
}
