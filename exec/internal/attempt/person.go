package attempt

import (
	"context"
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/people"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// person has a person look at a task before its last step counts, where neither
// a check nor a reviewer says whether it is done.
func (t judging) person(ctx context.Context) *fault {
	last := t.task.Steps[len(t.task.Steps)-1].Address
	if last != t.s.Address || !people.Needed(t.Session, t.task, t.looked()) {
		return nil
	}
	return t.heard(ctx, gate.Reviewing, func(pass *gate.Pass) gate.Judgements {
		return people.Look(ctx, t.Session, pass)
	})
}

// looked tells the steps of the task that something or somebody looked at, the
// one in hand among them.
func (t judging) looked() func(plan.Address) bool {
	a := *t.s.Last()
	a.Gates = t.judged
	if slices.ContainsFunc(a.Reviews(), history.Review.Counts) {
		return func(plan.Address) bool { return true } // of the whole task
	}
	standings := t.Rec.Run.Standings()
	return func(of plan.Address) bool {
		if of == t.s.Address {
			return slices.ContainsFunc(t.controls, func(c history.Control) bool { return c.Proves() })
		}
		basis, _ := standings.Of(t.Rec.Run.Step(of))
		return basis.Counts()
	}
}
