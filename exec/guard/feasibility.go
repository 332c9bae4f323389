package guard

import (
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/internal/pattern"
)

// feasibility has advisors heard before a task begins: once in a run how a plan
// that names a pattern fits it, and, for a task with research_enabled, what
// should be known. What they say stands in the history and decides nothing.
func feasibility(c *contract.Case) Verdict {
	task := c.Place().Task
	_, patterned := pattern.Of(c.Plan)
	switch {
	case patterned && c.Advised("", advice.Feasible) == nil:
		return Find(Consult{Kind: string(advice.Feasible)})
	case task.ResearchEnabled && c.Advised(task.ID, advice.Research) == nil:
		return Find(Consult{Kind: string(advice.Research)})
	}
	return Pass()
}
