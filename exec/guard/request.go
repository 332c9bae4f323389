package guard

import (
	"fmt"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/internal/question"
)

// request asks what a person requested, before anything else is done about a
// step: whether the plan still holds, or whether the run is to be set back. A
// run that was stopped because its plan no longer holds asks again, unless the
// plan was amended since.
func request(c *contract.Case) Verdict {
	if contract.Pending(c.Run) != nil || c.Run.Restoring != nil || contract.InFlight(c.Step) {
		return Pass()
	}
	if why, still := obsoleteStill(c); still {
		return Hold(question.Obsolete(c, why))
	}
	if !c.Seen.Holds(contract.Requests) {
		return Find(Look{What: contract.Requests})
	}
	r := c.Seen.Request
	switch {
	case r == nil:
		return Pass()
	case r.Kind == ask.Obsolete:
		return Hold(question.Obsolete(c, fmt.Sprintf("%s says so: %s", r.By, r.Reason)))
	}
	return Hold(question.Rollback(c, r))
}

// obsoleteStill is why the plan no longer holds, where the run was stopped
// because of that.
func obsoleteStill(c *contract.Case) (why string, still bool) {
	if !contract.ChosenLast(c.Step, question.Replan) {
		return "", false
	}
	q := c.Step.Questions[len(c.Step.Questions)-1].Question
	return q.Why, q.Kind == ask.Obsolete && c.Run.AskedUnder(q.ID) == c.Run.Started.Plan
}
