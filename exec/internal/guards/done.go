package guards

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
)

// done leaves a step out whose work the lock says is done. What the step
// declares must hold when its turn comes: a word that the workspace contradicts
// stops the run before the step.
func done(c *guard.Case) guard.Verdict {
	if !slices.Contains(c.Run.Started.Acknowledged, c.Step.Address.DoneCode()) {
		return guard.Pass()
	}
	if !c.Seen.Holds(guard.Done) {
		return guard.Look(guard.Done)
	}
	why := "acknowledged as done"
	if len(c.Seen.For) > 0 {
		why += ": " + strings.Join(c.Seen.For, "; ")
	}
	return guard.Record(&history.StepSkipped{Why: why, By: "the lock", Done: true})
}
