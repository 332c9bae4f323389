package exec

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/internal/life"
	"github.com/planlock/planlock/exec/internal/rewind"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// An Amendment adds steps to the plan of a run that has not ended.
type Amendment struct {
	// Draft is the whole plan: what the run has, as it was, and the steps that
	// are new. Where the run's plan lies in the workspace, it is watched, so
	// the draft must be read from the same files.
	Draft *plan.Draft
	// Acknowledged are codes of what a person accepted: those that the new
	// steps need, as for [Controller.Lock], and the one of the amendment
	// itself, see [AmendmentCode].
	Acknowledged []string
	By, Reason   string // who wants it, and why; may be empty
}

// An Amended run goes on under another plan.
type Amended struct {
	Run    string
	Added  []plan.Address // in the order of execution
	Locked *plan.Locked   // what to resume the run with
}

// AmendmentCode is what confirms that a run goes on under a plan: "amend:" and
// the first half of the plan's digest. So nobody confirms another plan than was
// looked at.
func AmendmentCode(p *plan.Plan) string { return life.Code(p) }

// Amend adds steps to a run that nobody has in hand and that has not ended:
// steps in tasks that are not over, or new tasks, all of which come behind what
// has begun. Everything else of the plan must be as it was. The plan is
// checked, approved by the planning gates, and locked anew; the lock continues
// the record of the run. Tasks that gained steps are shown to the reviewers
// again. How the run stands does not change: resume it with the new lock.
//
// It changes nothing but the journal. Errors are *[plan.AmendError] where the
// plan changes what it may only add to, those of [Controller.Lock]
// (*plan.AckError also where the amendment is not confirmed), *[RefusedError]
// where the run cannot have these steps, *checkpoint.HeldError where somebody
// works on it, and [ErrNoRun].
func (c *Controller) Amend(ctx context.Context, run string, a Amendment) (_ *Amended, err error) {
	defer public(&err)
	if a.Draft == nil {
		return nil, &session.Refusal{Reasons: []string{"there is no plan to go on with"}, Hint: "read one with native.ReadFile"}
	}
	options := c.Options()
	if bad := blockingDiagnostics(a.Draft.Check(options)); len(bad) > 0 {
		_, err := plan.Lock(a.Draft, plan.LockOptions{Check: options, Acknowledged: a.Acknowledged})
		return nil, err
	}
	p := a.Draft.Plan
	e := c.execution(&p, a.Draft.Files)
	e.watched(ctx)
	defer e.close()
	if err := e.take(ctx); err != nil {
		return nil, err
	}
	if err := e.life.TakeForAmending(ctx, run, a.Draft.Format); err != nil {
		return nil, err
	}
	f, locked, err := e.life.Amend(ctx, life.Amendment(a))
	if err != nil {
		return nil, err
	}
	return &Amended{Run: e.Rec.Run.Started.Run, Added: f.Added, Locked: locked}, nil
}

// A RolledBack says what a rollback did.
type RolledBack struct {
	Run string
	// what was in the tree before
	Kept record.Snapshot
	// Sealed is set if the run was finished: its journal accepts nothing, so it
	// stays as it ended, and the journal beside it says that it was set back.
	Sealed bool
	// Others is in what the tree differs from that before the step: no step
	// did that, and it stays.
	Others []ledger.Change
	// Clone is the folder whose tree was set back, where the run works in a
	// clone and has not delivered it; "" where it is the workspace.
	Clone string
}

// Rollback restores the tree to the checkpoint before a step and sets the run
// back to it, so that resuming runs the step again, and all after it. The
// journal says who wanted that (by) and why (reason), as far as it is told:
// either may be empty. That of a run that has ended accepts nothing: the tree is
// restored, and a journal beside it says so ([history.Run.After]), by which
// [Controller.RunFrom] takes nothing over that was set back. accepted is as for
// [Controller.Abandon].
func (c *Controller) Rollback(ctx context.Context, run string, step plan.Address, by, reason string,
	accepted ...string) (_ *RolledBack, err error) {
	defer public(&err)
	e, err := c.adopt(ctx, run, life.Accepted{By: by, Moved: accepted})
	defer e.close()
	if err != nil {
		return nil, accepting(err, action.Action{Kind: action.Rollback, Run: e.Rec.Run.Started.Run, Step: step})
	}
	id := e.Rec.Run.Started.Run
	if e.Rec.Run.Started.Shadow && e.Rec.Run.Ended != nil {
		return nil, &session.Refusal{Run: id, Reasons: []string{"the run was a trial: its clone is gone, and the workspace is as it was before it"}, Hint: "run the plan"}
	}
	if e.Rec.Run.Ended != nil && e.Rec.Run.Sealed == nil {
		return nil, &session.Refusal{Run: id, Reasons: []string{"the run was cut off at its end, and lacks its documents"},
			Actions: []action.Action{{Kind: action.Resume, Run: id}}}
	}
	s := e.Rec.Run.Step(step)
	if s == nil {
		return nil, fmt.Errorf("exec: run %s has no step %q", id, step)
	}
	to, err := rewind.Before(e.Rec.Run, s)
	if err != nil {
		return nil, err
	}
	if err := e.inherit(ctx); err != nil {
		return nil, err
	}
	if session.Works(e.Rec.Run) {
		if err := e.alone(ctx, "setting this one back would undo what it did"); err != nil {
			return nil, err
		}
	}
	kept, err := e.rewind.RollBack(ctx, s, to, by, reason)
	if kept == nil {
		return nil, accepting(err, action.Action{Kind: action.Rollback, Run: id, Step: step})
	}
	done := &RolledBack{Run: id, Kept: kept.Tree, Sealed: kept.Sealed, Others: kept.Others}
	if e.Work.Layered() && !e.rewind.Places() {
		done.Clone = e.Work.Dir
	}
	return done, err
}
