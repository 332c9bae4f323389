package guards

import (
	"fmt"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
)

// rehearsal ends a trial before the first step that acts outside of the clone:
// that step, and all behind it, are left for the run that follows.
func rehearsal(c *guard.Case) guard.Verdict {
	if !c.Run.Started.Shadow {
		return guard.Pass()
	}
	for _, s := range c.Run.Steps { // in the order of execution
		if s.Rollback.Outside() {
			return guard.Record(&history.StepBlocked{By: s.Address,
				Why: fmt.Sprintf("the trial ends before step %s, which is %s: what it does outside of the workspace would be no trial",
					s.Address, s.Rollback),
				Unblock: []string{
					"run the plan in the workspace: each step is compared with what it made in the trial"}})
		}
		if s.Address == c.Step.Address {
			break
		}
	}
	return guard.Pass()
}
