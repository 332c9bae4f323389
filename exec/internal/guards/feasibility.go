package guards

import (
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/internal/pattern"
)

// feasibility has advisors heard before a task begins: once in a run how a plan
// that names a pattern fits it, and, for a task with research_enabled, what
// should be known. What they say stands in the history and decides nothing.
func feasibility(c *guard.Case) guard.Verdict {
	task, _ := c.Place()
	_, patterned := pattern.Of(c.Plan)
	switch {
	case patterned && c.Advised("", advice.Feasible) == nil:
		return guard.Consult(advice.Feasible)
	case task.ResearchEnabled && c.Advised(task.ID, advice.Research) == nil:
		return guard.Consult(advice.Research)
	}
	return guard.Pass()
}
