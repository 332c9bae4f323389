package exec

import (
	"context"
	"errors"
	"fmt"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/exec/internal/lane"
	"github.com/planlock/planlock/exec/internal/life"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/plan"
)

// Abandon ends a run that nobody wants any more: by says who decided that, and
// reason why. A step that was under way is undone, and what it left is kept;
// all that was completed stays as it is. Nothing is judged, and neither plan
// nor executors need to be what they were. The run ends NOT_ACHIEVED, with its
// documents, and what it asked is withdrawn from [Workspace.QuestionDir]. The
// beginning of the run's id is enough where no other begins so; reason may be
// empty. accepted names what by accepts although it moved: "signing key", where
// the key is lost that the run was signed with.
//
// Errors are *[RefusedError] where by is empty, the run has ended, or half a
// step of it cannot be undone because a later run has worked here,
// *checkpoint.HeldError where somebody works on it, and [ErrNoRun].
func (c *Controller) Abandon(ctx context.Context, run, by, reason string,
	accepted ...string) (report *Report, err error) {
	defer reported(&report, &err)
	if by == "" {
		return &Report{Run: &history.Run{}}, &session.Refusal{Reasons: []string{"nobody says who abandons the run"}}
	}
	e, err := c.adopt(ctx, run, life.Accepted{By: by, Moved: accepted})
	defer e.close()
	defer e.panicked(&report, &err)
	if err != nil {
		return e.report(), accepting(err, action.Action{Kind: action.Abandon, Run: e.Rec.Run.Started.Run})
	}
	if e.Rec.Run.Ended != nil && e.Rec.Run.Sealed != nil {
		return e.report(), &session.Refusal{Run: e.Rec.Run.Started.Run,
			Reasons: []string{fmt.Sprintf("the run has ended %s", e.Rec.Run.Ended.Status)}}
	}
	if err := errors.Join(e.inherit(ctx), e.aloneSince(ctx)); err != nil {
		return e.report(), err
	}
	if e.Rec.Run.Ended == nil {
		if err := e.Rec.Record(ctx, history.Where{}, &history.Abandoned{By: by, Reason: reason}); err != nil {
			return e.report(), err
		}
	}
	report, err = e.over(ctx, e.drive.CarryOn(ctx))
	var outcome *OutcomeError
	if errors.As(err, &outcome) {
		err = nil // that is what was wanted
	}
	return report, err
}

// adopt opens a run for whoever needs no plan, since it is only set back or
// ended.
func (c *Controller) adopt(ctx context.Context, run string, accepted life.Accepted) (*execution, error) {
	e := c.execution(&plan.Plan{}, nil)
	defer e.closePanicking()
	e.watched(ctx)
	if err := e.seat(); err != nil {
		return e, err
	}
	if err := e.occupy(ctx); err != nil {
		return e, err
	}
	e.life.Accepted = accepted
	return e, e.life.Open(ctx, run)
}

// accepting has a refusal that a person may accept say how what was wanted is
// done then, in place of going on with the run.
func accepting(err error, wanted action.Action) error {
	var refused *session.Refusal
	if errors.As(err, &refused) {
		for i, a := range refused.Actions {
			if wanted.Accept = a.Accept; a.Kind == action.Resume && len(a.Accept) > 0 {
				refused.Actions[i] = wanted
			}
		}
	}
	return err
}

// inherit takes what a run that was adopted works with from its journal.
func (e *execution) inherit(ctx context.Context) error {
	id := e.Rec.Run.Started.Run
	var err error
	if e.Plan, err = e.workspace().Plan(ctx, e.Rec.Run); err != nil {
		return err
	}
	e.Files, e.LockFile = home.Sources(e.Rec.Run, e.Work.Root)
	e.NoSandbox = e.Rec.Run.Started.NoSandbox
	e.equip()
	if err := e.ask(ctx); err != nil {
		e.Rec.Log.Warn("nobody says what an agent needs", "err", err) // no agent works in it any more
	}
	if run := e.Rec.Run; run.Started.Layered() && (run.Ended == nil || run.Started.Isolated && !run.Delivering()) {
		e.Work.Dir = life.CloneDir(e.Session)
		if err := e.life.Reenter(ctx); err != nil {
			return err
		}
	}
	if e.Rec.Run.Delivering() && e.Rec.Run.Ended == nil {
		return &session.Refusal{Run: id, Reasons: []string{"the run was cut off while it ended, and is to be resumed first"},
			Actions: []action.Action{{Kind: action.Resume, Run: id}}}
	}
	if e.Rec.Run.Paused == nil {
		e.Work.Unsynced().NoteAll(e.Work.Dir) // whoever had the run in hand did not sync what it wrote
	}
	return nil
}

// aloneSince refuses to undo half a step where another run has worked in the
// workspace since: that would undo what it did.
func (e *execution) aloneSince(ctx context.Context) error {
	run := e.Rec.Run
	if run.Started.Layered() || run.Restoring == nil && !lane.InFlight(run) {
		return nil
	}
	return e.alone(ctx, "half a step of this one would have to be undone")
}

// alone refuses what would undo the work of another run.
func (e *execution) alone(ctx context.Context, why string) error {
	since, err := e.life.WorkedSince(ctx, e.Rec.Run)
	if err != nil || since == "" {
		return err
	}
	return &session.Refusal{Run: e.Rec.Run.Started.Run,
		Reasons: []string{fmt.Sprintf("run %s has worked in this workspace since, and %s", since, why)}}
}
