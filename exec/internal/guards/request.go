package guards

import (
	"fmt"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/exec/internal/lane"
	"github.com/planlock/planlock/exec/internal/question"
)

// request asks what a person requested, before anything else is done about a
// step: whether the plan still holds, or whether the run is to be set back. A
// run that was stopped because its plan no longer holds asks again, also once it
// was set back, unless the plan was amended since.
func request(c *guard.Case) guard.Verdict {
	if lane.Pending(c.Run) != nil || c.Run.Restoring != nil || c.Step.InFlight() != nil {
		return guard.Pass()
	}
	if why, still := obsoleteStill(c); still {
		return guard.Hold(question.Obsolete(c, why))
	}
	if !c.Seen.Holds(guard.Requests) {
		return guard.Look(guard.Requests)
	}
	r := c.Seen.Request
	if r == nil {
		return guard.Pass()
	}
	var q ask.Question
	if r.Kind == ask.Obsolete {
		q = question.Obsolete(c, fmt.Sprintf("%s says so: %s", r.By, r.Reason))
	} else {
		q = question.Rollback(c, r)
	}
	q.Requested = r.At
	return guard.Hold(q)
}

// obsoleteStill is why the plan no longer holds, where the run was stopped
// because of that, or set back before anybody answered.
func obsoleteStill(c *guard.Case) (why string, still bool) {
	d := c.Run.Doubted()
	if d == nil || !d.Open() && (d.Answer == nil || d.Answer.Choice != choice.Replan) {
		return "", false
	}
	return d.Question.Why, true
}
