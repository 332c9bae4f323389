package exec

import (
	"context"
	"fmt"
	"time"

	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/engine"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/session"
)

// carryOn carries the run on from wherever its history stands, until it is
// sealed or must stop. What comes next is decided from the history alone, so
// that going on after a crash is no case of its own.
func (e *execution) carryOn(ctx context.Context) error {
	for {
		wanted := e.Decider().Decide(e.Rec.Run, e.Rec.Seen)
		if len(wanted) == 0 {
			return outcome(e.Rec.Run)
		}
		if session.Interrupted(ctx) && !outlastsInterrupts(wanted[0].Action) {
			return e.Pause(ctx, "interrupted", context.Cause(ctx))
		}
		if err := e.do(ctx, wanted[0]); err != nil {
			return err
		}
	}
}

// outlastsInterrupts reports whether an action is carried out although the host
// wants the run to stop: what was announced is undone, and a run that ended is
// sealed.
func outlastsInterrupts(a engine.Action) bool {
	switch a.(type) {
	case engine.Restore, engine.Seal:
		return true
	}
	return false
}

// do has the world do what is wanted.
func (e *execution) do(ctx context.Context, w engine.Wanted) error {
	s := e.Rec.Run.Step(w.Step)
	switch a := w.Action.(type) {
	case engine.Record:
		return e.people.Note(ctx, a.Facts)
	case engine.Look:
		return e.look(ctx, s, a.What)
	case engine.Put:
		return e.people.Put(ctx, s, a.Question)
	case engine.Begin:
		return e.attempts.Before(ctx, s, a.Start)
	case engine.Attempt:
		return e.attempts.Run(ctx, s, e.Method(s, a.Method))
	case engine.Restore:
		if s == nil {
			return e.rewind.RestoredRun(ctx)
		}
		return e.rewind.Restored(ctx, s, w.Attempt)
	case engine.Rewind:
		return e.rewind.SetBack(ctx, e.Rec.Run.Step(a.To), a.By)
	case engine.Consult:
		return e.counsel.Advise(ctx, s, a)
	case engine.Foresee:
		return e.counsel.Foresee(ctx, s, a.Kind)
	case engine.Review:
		return e.approvals.Submit(ctx, s, a.Again)
	case engine.Verify:
		return e.evidence.Look(ctx, a)
	case engine.Repair:
		return e.evidence.Retry(ctx, a.Task)
	case engine.Wait:
		return e.wait(ctx, a.Since, a.For)
	case engine.Pause:
		return e.handOver(ctx)
	case engine.End:
		return e.ending.End(ctx)
	case engine.Seal:
		return e.ending.Seal(ctx)
	}
	return fmt.Errorf("exec: nobody can do %T", w.Action)
}

// look finds out whether an observation holds. Where it does not, the run is
// let go, and says what moved.
func (e *execution) look(ctx context.Context, s *history.Step, what contract.Observation) error {
	switch what {
	case contract.Requests:
		return e.people.Inbox.Look(ctx)
	case contract.Done:
		return e.bound.LookWhetherDone(ctx, s)
	}
	if s != nil && !contract.WithinTree(s) && e.Rec.Seen.Of != s.Address {
		e.Rec.Seen.Forget(contract.Bindings)
	}
	if err := e.bound.Verify(ctx); err != nil {
		return e.LetGo(ctx, err)
	}
	if s != nil {
		e.Rec.Seen.Of = s.Address
	}
	return nil
}

// wait lets time pass until d after since, which stands in the journal. So a
// run that is killed and resumed while it waits comes to the end of it, and a
// clock that was set back makes it wait d anew, not longer.
func (e *execution) wait(ctx context.Context, since time.Time, d time.Duration) error {
	if passed := e.c.now().Sub(since); passed > 0 {
		d -= min(passed, d)
	}
	e.Rec.Seen.Disturb(contract.TimePassed)
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done(): // the loop stops
	case <-timer.C:
		e.Rec.Seen.Saw(contract.Due)
	}
	return nil
}

// handOver ends a session whose token budget is nearly used up.
func (e *execution) handOver(ctx context.Context) error {
	all := e.Rec.Run.Flow.Budgets
	b := all[len(all)-1]
	return e.Pause(ctx, string(history.Handoff), fmt.Errorf("%w: %d of %d tokens; step %s is next", ErrHandoff,
		b.Used, b.Limit, b.Next))
}
