package drive

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/attempt"
	"github.com/planlock/planlock/exec/internal/binding"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/commits"
	"github.com/planlock/planlock/exec/internal/counsel"
	"github.com/planlock/planlock/exec/internal/deliveries"
	"github.com/planlock/planlock/exec/internal/disturbance"
	"github.com/planlock/planlock/exec/internal/ending"
	"github.com/planlock/planlock/exec/internal/engine"
	"github.com/planlock/planlock/exec/internal/people"
	"github.com/planlock/planlock/exec/internal/rewind"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/tasks"
	"github.com/planlock/planlock/plan"
)

// A Drive has the parts of the engine do what is wanted.
type Drive struct {
	*session.Session
	Bound     *binding.Binding
	People    *people.People
	Rewind    *rewind.Rewind
	Counsel   *counsel.Counsel
	Approvals *tasks.Approvals
	Evidence  *tasks.Evidence
	Attempts  *attempt.Attempts
	Ending    *ending.Ending
	// Deliveries bring into the workspace what was accepted.
	Deliveries *deliveries.Deliveries
	// Commits are made of what was delivered.
	Commits *commits.Commits
}

// CarryOn carries the run on from wherever its history stands, until it is
// sealed or must stop; the error says why it stops before its end. What comes
// next is decided from the history alone, so that going on after a crash is no
// case of its own.
//
// Where the host wants the run to stop, that is a fact, wherever it comes:
// what is wanted from there on is what has to be undone, and a pause. All of it
// is done without the host's context, which has ended.
func (d *Drive) CarryOn(ctx context.Context) error {
	work, stops, held := ctx, false, holds{}
	for {
		if session.Interrupted(ctx) && !stops {
			work, stops = context.WithoutCancel(ctx), true
			if err := d.stop(work, context.Cause(ctx)); err != nil {
				return err
			}
		}
		wanted := d.Decider().Decide(d.Rec.Run, d.Rec.Seen)
		if len(wanted) == 0 {
			return nil
		}
		if a, lets := wanted[0].Action.(engine.Pause); lets && a.Why == engine.Stopped {
			return d.Pause(work, string(a.Why), context.Cause(ctx))
		}
		if held.tooOften(wanted[0], d.Guards) {
			return d.letGo(work, wanted[0], fmt.Sprintf("it has not let the step pass %d times: it must once what it wanted stands in the history", guard.MostHolds))
		}
		if d.lasts(wanted[0]) {
			d.Ending.Views.Follow(work)
		}
		if err := d.do(work, wanted[0]); err != nil && (stops || !session.CutOff(ctx, err)) {
			return err
		}
	}
}

// stop records that the host wants the run to stop, unless it ends anyway.
func (d *Drive) stop(ctx context.Context, cause error) error {
	if d.Rec.Run.Ended != nil || d.Rec.Run.Abandoned != nil {
		return nil
	}
	request := &history.StopRequested{By: "host", Why: bound.Text(cause.Error(), bound.Line)}
	var stop *session.Stop
	if errors.As(cause, &stop) && stop.By != "" {
		request.By, request.Why = stop.By, bound.Text(stop.Why, bound.Line)
	}
	return d.Rec.Record(ctx, history.Where{}, request)
}

// lasts reports whether what is wanted may take a while, in which people see what
// was drawn before it.
func (d *Drive) lasts(w engine.Wanted) bool {
	switch w.Action.(type) {
	case engine.Record, engine.Look:
		return false
	case engine.Begin:
		return d.Touchy // gates of a host may take as long as they like
	case engine.Join:
		_, step := d.Contract.At(w.Step)
		return d.Touchy || len(d.Plan.Invariants)+len(step.Postconditions) > 0
	}
	return true
}

// do has the world do what is wanted. An action is done once it returns: what
// came of it stands in the journal, or in what was seen, and the decider is
// asked anew.
func (d *Drive) do(ctx context.Context, w engine.Wanted) error {
	s := d.Rec.Run.Step(w.Step)
	switch a := w.Action.(type) {
	case engine.Record:
		return d.People.Note(ctx, a.Facts)
	case engine.Look:
		return d.look(ctx, s, a.What)
	case engine.Put:
		return d.People.Put(ctx, s, a.Question)
	case engine.Begin:
		return d.Attempts.Before(ctx, s, a.Start)
	case engine.Attempt:
		return d.Attempts.Run(ctx, s, a.Method)
	case engine.Group:
		return d.Attempts.Together(ctx, a.Members)
	case engine.Join:
		return d.Attempts.Join(ctx, s)
	case engine.Deliver:
		return d.Deliveries.Deliver(ctx)
	case engine.Commit:
		return d.Commits.Commit(ctx)
	case engine.Restore:
		if s == nil {
			return d.Rewind.RestoredRun(ctx)
		}
		return d.Rewind.Restored(ctx, s, w.Attempt)
	case engine.Rewind:
		return d.setBack(ctx, d.Rec.Run.Step(a.To), a.By, a.Why)
	case engine.Consult:
		return d.Counsel.Advise(ctx, s, a)
	case engine.Foresee:
		return d.Counsel.Foresee(ctx, s, a.Kind)
	case engine.Review:
		return d.Approvals.Submit(ctx, s, a.Again)
	case engine.Verify:
		return d.Evidence.Look(ctx, a)
	case engine.Repair:
		return d.Evidence.Retry(ctx, a.Task)
	case engine.Wait:
		return d.wait(ctx, w.Step, a)
	case engine.Pause:
		return d.handOver(ctx)
	case engine.Refuse:
		return d.letGo(ctx, w, a.Why)
	case engine.End:
		return d.Ending.End(ctx)
	case engine.Seal:
		d.People.Inbox.Close(ctx)
		return d.Ending.Seal(ctx)
	}
	return fmt.Errorf("exec: nobody can do %T", w.Action)
}

// letGo pauses the run because of a guard.
func (d *Drive) letGo(ctx context.Context, w engine.Wanted, why string) error {
	return d.LetGo(ctx, d.Refuse("mend the guard, and resume the run", "guard %q at step %s: %s", w.Guard, w.Step, why))
}

// setBack sets the run back; where that cannot be, it is let go.
func (d *Drive) setBack(ctx context.Context, to *history.Step, by, why string) error {
	err := d.Rewind.SetBack(ctx, to, by, why, nil)
	var stuck *rewind.Stuck
	if errors.As(err, &stuck) {
		return d.Pause(ctx, "rolling back failed",
			fmt.Errorf("exec: the run cannot be set back to before %s: %w", to.Address, err))
	}
	return err
}

// look finds out whether an observation holds. Where it does not, the run is
// let go, and says what moved.
func (d *Drive) look(ctx context.Context, s *history.Step, what guard.Observation) error {
	switch what {
	case guard.Requests:
		return d.People.Inbox.Look(ctx)
	case guard.Done:
		return d.Bound.LookWhetherDone(ctx, s)
	case guard.Workspace:
		return d.Deliveries.Look(ctx, s)
	}
	if s != nil && !s.WithinTree() && d.Rec.Seen.Of != s.Address {
		d.Rec.Seen.Forget(guard.Bindings, guard.Workspace)
	}
	if err := d.Bound.Verify(ctx); err != nil {
		return d.LetGo(ctx, err)
	}
	if s != nil {
		d.Rec.Seen.Of = s.Address
	}
	return nil
}

// wait lets time pass until long after since, which stands in the journal. So a
// run that is killed and resumed while it waits comes to the end of it, and a
// clock that was set back makes it wait as long anew, not longer.
//
// Where it is for whoever serves an executor, that is told, and the run is let
// go where it would wait longer than for a person.
func (d *Drive) wait(ctx context.Context, step plan.Address, w engine.Wait) error {
	long := max(w.For, 0)
	if passed := d.Now().Sub(w.Since); passed > 0 {
		long -= min(passed, long)
	}
	if f := w.Unserved; f != nil && long > 0 {
		until := f.Until.Format(time.RFC3339)
		if patience := d.Rec.Run.Policy.Patience; patience > 0 && long > patience {
			return d.Pause(ctx, "waiting until "+until, fmt.Errorf("%w until %s, longer than its patience of %s: resume it then; step %s: %s",
				session.ErrWaiting, until, patience, step, strings.Join(f.Reasons, "; ")))
		}
		d.Warn(fmt.Sprintf("step %s waits until %s (%s): %s; what was done is kept if the run is stopped, and a resumed run waits for what is left",
			step, until, long.Round(time.Second), strings.Join(f.Reasons, "; ")))
	}
	d.Rec.Seen.Forget(disturbance.TimePassed...)
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-ctx.Done(): // the loop stops
	case <-timer.C:
		d.Rec.Seen.Saw(guard.Due)
	}
	return nil
}

// handOver ends a session whose token budget is nearly used up, or that of a run
// which has cost what it may.
func (d *Drive) handOver(ctx context.Context) error {
	all := d.Rec.Run.Flow.Budgets
	b := all[len(all)-1]
	if b.CostLimit > 0 {
		return d.Pause(ctx, string(engine.HandedOver), fmt.Errorf("%w: it has cost %s of %s; resume it with a larger budget, and step %s is next",
			session.ErrSpent, b.Cost, b.CostLimit, b.Next))
	}
	return d.Pause(ctx, string(engine.HandedOver), fmt.Errorf("%w: %d of %d tokens; step %s is next",
		session.ErrHandoff,
		b.Used, b.Limit, b.Next))
}
