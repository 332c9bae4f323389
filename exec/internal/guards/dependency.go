package guards

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/exec/internal/question"
	"github.com/planlock/planlock/plan"
)

// dependency leaves a step blocked that needs one that is missing, and what
// does not need it goes on. In the modes in which a person is there for every
// failure, it asks first.
func dependency(c *guard.Case) guard.Verdict {
	by := c.Blocker()
	if by == nil || c.Step.Chosen(ask.Dependency, choice.GoOn) {
		return guard.Pass()
	}
	if m := c.Mode(); (m == plan.Collaborative || m == plan.Education) && !stageSettled(c.Run, by) {
		return guard.Hold(question.Dependency(c, by))
	}
	return guard.Record(question.BlockedBy(c.Step, by))
}

// unproven leaves a step blocked that needs a task which did not come to its
// end. Of one that misses steps a person may have said that it is good enough.
func unproven(c *guard.Case) guard.Verdict {
	settled := c.Step.Chosen(ask.Dependency, choice.GoOn)
	for i := range c.Run.Outcomes {
		o := &c.Run.Outcomes[i]
		if o.Undone || o.Status == history.Completed || !c.Needs(c.Step.Task, o.Task) ||
			settled && slices.ContainsFunc(c.Run.OfTask(o.Task), c.Misses) {
			continue
		}
		by := c.Step.Address
		for _, other := range c.Run.Steps {
			if other.Task == o.Task {
				by = other.Address
			}
		}
		return guard.Record(&history.StepBlocked{By: by,
			Why: fmt.Sprintf("it needs task %s, which is %s: %s", o.Task, o.Status, o.Reason)})
	}
	return guard.Pass()
}
