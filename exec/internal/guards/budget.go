package guards

import (
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/flow"
)

// budget looks how far the token budget is used up before the next thing is
// done, and whether the run has cost what it may. It warns once a session, and ends the session in time: what was
// completed is kept, nothing is under way, and the next session begins with the
// next step.
func budget(c *guard.Case) guard.Verdict {
	f := &c.Run.Flow
	if limit := c.Run.Policy.Budget; limit > 0 && f.Cost >= limit && !c.Busy() && !f.HandedOver() {
		return guard.RecordRun(&history.Budget{Handoff: true, Used: f.Used, Limit: c.Run.Policy.TokenBudget,
			Total: f.Tokens, Session: f.Session, Next: c.Step.Address, Cost: f.Cost, CostLimit: limit})
	}
	brief, handoff := flow.Budget(f.Used, c.Run.Policy.TokenBudget)
	if !brief || c.Busy() || f.HandedOver() || f.Warned && !handoff {
		return guard.Pass()
	}
	return guard.RecordRun(&history.Budget{Handoff: handoff, Used: f.Used, Limit: c.Run.Policy.TokenBudget,
		Total:   f.Tokens,
		Session: f.Session, Next: c.Step.Address})
}
