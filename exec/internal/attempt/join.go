package attempt

import (
	"context"
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// Join does in the tree of the run what an attempt did in its lane, and
// accounts for it, has it judged, and accepts or undoes it there, as if it had
// been carried out in that tree.
func (a *Attempts) Join(ctx context.Context, s *history.Step) error {
	w := a.waiting[s.Address]
	delete(a.waiting, s.Address)
	a.Rec.Seen.Back = slices.DeleteFunc(a.Rec.Seen.Back, func(of plan.Address) bool { return of == s.Address })
	if w == nil {
		return nil // it is lost
	}
	_, step := a.Contract.At(s.Address)
	var err error
	t := w.trial
	t.Attempts, t.runner, t.joined = a, a.Runner(step), &history.Joined{Onto: a.Rec.Run.Tree}
	if t.before, err = a.Work.Known(ctx); err != nil {
		return err
	}
	if err := a.Work.Aside().Begin(); err != nil {
		return err
	}
	a.Work.Ours = true
	a.Rec.Seen.Forget(guard.Tree)
	a.external()
	fault := t.join(context.WithoutCancel(ctx), w)
	if fault == nil {
		fault = judging{t}.judge(ctx)
	}
	return t.conclude(ctx, fault)
}

// join does in the tree of the run what was done in the lane.
func (t *trial) join(ctx context.Context, w *waiting) *fault {
	switch {
	case w.err != nil:
		return faultf(history.Crashed, "%v", w.err)
	case t.fault != nil:
		w.lane.Forget()
		return t.fault // nothing was done
	}
	if again := (working{t, w.executor}); w.executor.ByCommands && again.impeded(ctx) {
		w.lane.Forget()
		if f := t.unapproved(t.before); f != nil {
			return f
		}
		again.repeat(ctx)
		return nil
	}
	t.moved = w.made.Git
	if paths := w.made.Moved(t.before); len(paths) > 0 {
		return faultf(history.Met, "what step %s changed was changed since it began: %s", t.s.Address, some(paths))
	}
	switch err := w.lane.Join(ctx, t.Work, w.made, t.before); {
	case noSpace(err):
		return faultf(history.NoSpace, "what the step did cannot be kept: %v", err)
	case err != nil:
		return faultf(history.Crashed, "what the step did cannot be joined: %v", err)
	}
	return nil
}

// others decides once more what must hold after the steps of the group whose
// work is in the tree that the attempt's was brought onto: it was decided on a
// tree without this work. Checks that look at no more than they name were told
// apart when the group was formed.
func (t judging) others(ctx context.Context) *fault {
	if t.joined == nil {
		return nil
	}
	for _, o := range t.Rec.Run.JoinedWith(t.s) {
		_, step := t.Judging.At(o.Address)
		runner := t.Runner(step)
		pass := t.Panel.Prepare(t.Pass(gate.After, o, runner.Judge()))
		pass.Before, pass.After = t.before, t.after
		for _, check := range step.Postconditions {
			if check.NamesAll() {
				continue
			}
			if f := stillHolds(ctx, pass, o, check); f != nil {
				return f
			}
		}
		if runner.Ran() {
			after, err := t.Work.TakeBack(ctx, t.after)
			if err != nil {
				return faultf(history.Crashed, "%v", err)
			}
			t.after = after
		}
	}
	return nil
}

// stillHolds decides a check of a step that was joined before.
func stillHolds(ctx context.Context, pass *gate.Pass, of *history.Step, check plan.Check) *fault {
	within, cancel := context.WithTimeout(ctx, gate.Info{Level: gate.BlocksStep}.Limit())
	defer cancel()
	switch v, err := pass.Decide(within, check); {
	case session.Interrupted(ctx):
		return faultf(history.Interrupted, "the run was interrupted: %v", context.Cause(ctx))
	case err != nil:
		return faultf(history.Undecided, "whether a postcondition of step %s holds with what this step did cannot be decided: %v",
			of.Address, err)
	case v.Result != gate.Passed:
		f := faultf(history.GateFailed, "a postcondition of step %s does not hold with what this step did: %s",
			of.Address, check)
		for _, found := range v.Findings {
			f.Reasons = append(f.Reasons, fmt.Sprintf("postcondition of step %s: %s", of.Address, found.Message))
		}
		f.Findings = v.Findings
		return f
	}
	return nil
}

// aside says with what the attempt was joined, if it may be that which its work
// does not hold with; nil where the fault is its own, whatever others did.
func (t *trial) aside(f *fault) *history.JoinFailed {
	switch f.Class {
	case history.GateFailed, history.Undecided, history.MissingEvidence:
	default:
		return nil
	}
	with := t.Rec.Run.JoinedWith(t.s)
	if t.joined == nil || t.err != nil || len(with) == 0 {
		return nil
	}
	failed := &history.JoinFailed{}
	for _, o := range with {
		failed.With = append(failed.With, o.Address)
	}
	return failed
}
