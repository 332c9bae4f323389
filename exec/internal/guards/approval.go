package guards

import (
	"fmt"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
)

// approval has the reviewers decide about the task of a step, before the first
// of its steps. The steps of a task that was not approved are left out.
func approval(c *guard.Case) guard.Verdict {
	if len(c.Run.Roles.Reviewers) == 0 {
		return guard.Pass()
	}
	a := c.Run.Task(c.Step.Task).Approval()
	switch {
	case a == nil, a.Open():
		return guard.Review()
	case a.Status.Runs():
		return guard.Pass()
	}
	why := a.Terminal
	if len(a.Reasons) > 0 {
		why = a.Reasons[0]
	}
	return guard.Record(&history.StepSkipped{Why: fmt.Sprintf("task %s is %s: %s", c.Step.Task, a.Status, why), By: "the reviewers"})
}
