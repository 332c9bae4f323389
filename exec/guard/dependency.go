package guard

import (
	"fmt"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/question"
	"github.com/planlock/planlock/plan"
)

// dependency leaves a step blocked that needs one that is missing, and what
// does not need it goes on. In the modes in which a person is there for every
// failure, it asks first.
func dependency(c *contract.Case) Verdict {
	by := c.Blocker()
	if by == nil || contract.Chosen(c.Step, ask.Dependency, question.GoOn) {
		return Pass()
	}
	if (c.Run.Mode == plan.Collaborative || c.Run.Mode == plan.Education) && !stageSettled(c.Run, by) {
		return Hold(question.Dependency(c, by))
	}
	return Record(question.BlockedBy(c.Step, by))
}

// unproven leaves a step blocked that needs a task which did not come to its
// end.
func unproven(c *contract.Case) Verdict {
	for i := range c.Run.Outcomes {
		o := &c.Run.Outcomes[i]
		if o.Undone || o.Status == history.TaskCompleted || !c.Needs(c.Step.Task, o.Task) {
			continue
		}
		by := c.Step.Address
		for _, other := range c.Run.Steps {
			if other.Task == o.Task {
				by = other.Address
			}
		}
		return Record(&history.StepBlocked{By: by,
			Why: fmt.Sprintf("it needs task %s, which is %s: %s", o.Task, o.Status, o.Reason)})
	}
	return Pass()
}
