package guard

import (
	"fmt"

	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/history"
)

// approval has the reviewers decide about the task of a step, before the first
// of its steps. The steps of a task that was not approved are left out.
func approval(c *contract.Case) Verdict {
	if !c.Reviewers {
		return Pass()
	}
	a := c.Run.Task(c.Step.Task).Approval()
	switch {
	case a == nil:
		return Find(Review{})
	case a.Status.Runs():
		return Pass()
	case a.Open():
		return Find(Review{Again: true})
	}
	why := a.Terminal
	if len(a.Reasons) > 0 {
		why = a.Reasons[0]
	}
	return Record(&history.StepSkipped{Why: fmt.Sprintf("task %s is %s: %s", c.Step.Task, a.Status, why), By: "the reviewers"})
}
