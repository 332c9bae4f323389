package attempt

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/disturbance"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/ledger"
)

// Run executes one method, by its id, accounts for what it did, and has it judged. It
// accepts the tree, or restores the checkpoint.
//
// An error says that the machine would not, or that the run was let go; that an
// attempt failed is none. The attempt is announced before the executor is
// called, so that whoever takes the run up knows that the tree may hold half of
// it.
func (a *Attempts) Run(ctx context.Context, s *history.Step, by string) error {
	m := a.method(s, by)
	task, step := a.Contract.At(s.Address)
	t := &trial{Attempts: a, s: s, task: task, step: s.Granted(step), number: s.Tried() + 1,
		method: m, runner: a.Runner(step)}
	executor, err := a.Executor(ctx, m.Executor)
	if err != nil {
		return err
	}
	if t.before, err = a.Work.Known(ctx); err != nil {
		return err
	}
	if err := a.Work.Aside().Begin(); err != nil {
		return err
	}
	from, err := t.prepare()
	if err != nil {
		return err
	}
	started := &history.AttemptStarted{Method: m.ID, Text: m.Description, Executor: m.Executor,
		Identity: executor.Identity, Inputs: t.inputs, Phase: from}
	if was := reinstated(s); was != nil {
		started.Reverted = reverted(s, was)
		executor = a.reinstate(was, started.Reverted)
		started.Reinstates, started.Identity = was.Number, was.Method.Identity
		t.cycle, t.inputs, started.Inputs, started.Phase = flow.Cycle{}, "", "", ""
	} else if was := unfinished(s); was != nil && started.Phase == "" {
		executor, started.Continues = a.carriedOn(executor, was), was.Number
		t.inputs, started.Inputs = "", "" // it does not begin with the tree of the run
	}
	t.parts = started.Reinstates == 0 && started.Continues == 0 && t.several() != nil
	if err := t.ahead(ctx); err != nil {
		return err
	}
	started.Stamps = a.Work.Stamps().Keep(ctx)
	if err := a.Rec.Begin(ctx, s, t.number, started); err != nil {
		return err
	}
	a.Work.Ours = true
	if f := t.unapproved(t.before); f != nil {
		return t.conclude(ctx, f)
	}
	if err := (working{t, executor}).perform(ctx); err != nil {
		return err
	}
	a.Rec.Seen.Forget(disturbance.Attempted...)
	a.external()
	f := judging{t}.judge(ctx)
	if f == nil {
		f = t.rewritten()
	}
	return t.conclude(ctx, f)
}

// unapproved is the fault of a step whose approved jobs begin with a file that is
// not what was approved any more in a tree; nil if it is.
func (t *trial) unapproved(tree *ledger.Tree) *fault {
	approval := t.approval()
	if approval == nil {
		return nil
	}
	for _, approved := range approval.Entries {
		if now, _ := tree.Lookup(approved.Path); now.Digest != approved.Digest {
			return faultf(history.Refused, "the job begins with %s, which is not what was approved: it was %s, and is %s",
				ledger.Quote(approved.Path), approved.Digest.Short(), now.Digest.Short())
		}
	}
	return nil
}

// external has others' changes looked for before the next step, where the plan
// wants that.
func (a *Attempts) external() {
	if a.Rec.Run.Policy.External == flow.EveryStep {
		a.Rec.Seen.Forget(guard.Workspace)
	}
}

// conclude accepts what an attempt did, or undoes it because of a fault.
func (t *trial) conclude(ctx context.Context, fault *fault) error {
	if other := t.compare(ctx, fault); fault == nil {
		fault = other
	}
	t.telemetry = t.saidOfJobs(fault)
	if fault == nil {
		return t.accept(ctx)
	}
	return t.undo(ctx, fault)
}

// nobodyIsTold reports whether nobody but this controller can know, before the
// next attempt begins, that t completed its step, and nothing is done until
// then that takes its time: no observer, nothing of the host or of a sandbox,
// no end of a task, no preconditions.
func (t *trial) nobodyIsTold() bool {
	next := t.Contract.Behind(t.s.Address)
	return t.Rec.Seen.Holds(guard.Bindings) && next != nil && len(next.Preconditions) == 0 && !t.Observed
}

// accept makes the new tree the one that we left. All that is known of the
// attempt goes into the journal in one batch, and nothing counts before that.
func (t *trial) accept(ctx context.Context) error {
	facts := append(t.facts(), &history.StepCompleted{Snapshot: t.snap, Method: t.method.ID})
	if !t.runner.Ran() && !t.Touchy && !t.Observed {
		t.Rec.Seen.Saw(guard.Bindings) // judging looked at them, and nobody had the occasion since
	}
	if err := t.Rec.Complete(ctx, t.s, t.number, facts, t.nobodyIsTold() && t.joined == nil); err != nil {
		// It cannot be made durable, so it has not happened.
		_, again := t.Work.Restorer().Restore(ctx, t.Work.Dir, t.Rec.Run.Tree)
		return errors.Join(err, again)
	}
	t.Work.Accepted(t.after)
	if text := t.s.Stashed(); text != "" {
		t.Warn(text, action.Action{Kind: action.Rollback, Run: t.Rec.Run.Started.Run, Step: t.s.Address})
	}
	if text := t.s.Unkept(); text != "" {
		t.Warn(text)
	}
	if t.Rec.Run.Behind() || t.Rec.Run.Started.Isolated {
		return nil // it is delivered with all else
	}
	return t.Rewind.Deliveries.Aside(ctx)
}

// undo records why an attempt failed and restores the checkpoint. What is
// undone is kept, so that nothing anybody did is lost.
func (t *trial) undo(ctx context.Context, f *fault) error {
	if err := t.Work.Moved(); err != nil && t.err == nil {
		return err // no fault of the step: it is undone as after a crash once the run goes on where the workspace is
	}
	begun := &history.RestoreBegun{To: t.Rec.Run.Tree, Discarded: t.snap}
	facts := t.facts()
	if aside := t.aside(f); aside != nil {
		facts = append(facts, aside)
	}
	facts = append(facts, f.bounded(), begun)
	if err := t.Rec.Record(ctx, t.s.Where(t.number), facts...); err != nil {
		// The journal is dead. The tree is restored all the same; the next
		// controller finds the attempt unfinished and restores it once more.
		_, again := t.Work.Restorer().Restore(ctx, t.Work.Dir, begun.To)
		return errors.Join(err, again)
	}
	if err := t.Rewind.Restored(ctx, t.s, t.number); err != nil {
		return err
	}
	if f.Class != history.Moved {
		return nil
	}
	refused, err := t.Bound.Moved(ctx)
	if err != nil || refused == nil {
		return err // what moved was the step's own doing, and is undone
	}
	return t.LetGo(ctx, refused)
}

// reinstated is the attempt whose tree the next one puts back, or nil if an
// executor is to be called.
func reinstated(s *history.Step) *history.Attempt {
	number := 0
	last := s.Last()
	switch {
	case last == nil:
		return nil
	case s.Next != nil && (s.Next.Rung == recovery.AcceptRung || s.Next.Rung == recovery.RevertRung):
		number = last.Number
	case s.Next == nil: // it was cut off while it was put back
		number = last.Method.Reinstates
	}
	for _, a := range s.Attempts {
		if a.Number == number && number != 0 {
			return a
		}
	}
	return nil
}

// reverted are the paths at which what an attempt did is not put back, because a
// person does not want that.
func reverted(s *history.Step, was *history.Attempt) (paths []string) {
	switch {
	case s.Next == nil: // it was cut off while it was put back
		return s.Last().Method.Reverted
	case s.Next.Rung == recovery.RevertRung:
		for _, c := range was.Accounted.Account.Extra {
			paths = append(paths, c.Path)
		}
	}
	return paths
}

// unfinished is the attempt whose work the next one goes on with, because the
// context of its executor was full; nil if it begins anew.
func unfinished(s *history.Step) *history.Attempt {
	for _, a := range slices.Backward(s.Attempts) {
		switch f := a.Failure; {
		case f == nil:
			return nil
		case f.Class == history.ContextExhausted && a.Discarded.Tree != "":
			return a
		case f.Class != history.Interrupted && f.Class != history.Lost && f.Class != history.OverBudget &&
			f.Class != history.NotServed:
			return nil
		}
	}
	return nil
}

// carriedOn is an executor that finds what an attempt left, and goes on from
// there.
func (a *Attempts) carriedOn(x Executor, was *history.Attempt) Executor {
	do := x.Do
	x.Do = func(ctx context.Context, w Work) (Outcome, error) {
		if err := a.putBack(ctx, was, nil); err != nil {
			return Outcome{}, err
		}
		return do(ctx, w)
	}
	return x
}

// reinstate is an executor that puts back what an attempt did, but at some paths,
// and says what it said.
func (a *Attempts) reinstate(was *history.Attempt, without []string) Executor {
	return Executor{Do: func(ctx context.Context, _ Work) (Outcome, error) {
		if was.Discarded.Tree == "" {
			return Outcome{}, nil // it left nothing that is known; what the tree holds is judged
		}
		if err := a.putBack(ctx, was, without); err != nil {
			return Outcome{}, err
		}
		out := Outcome{}
		if was.Said != nil {
			out = Outcome{Output: was.Said.Output, Stdout: was.Said.Output, Exit: was.Said.Exit,
				Stateful: was.Said.Stateful}
		}
		return out, nil
	}}
}

// putBack puts back what an attempt did that was undone, but at some paths.
func (a *Attempts) putBack(ctx context.Context, was *history.Attempt, without []string) error {
	want, err := a.Rec.Store.Tree(ctx, was.Discarded)
	if err != nil {
		return fmt.Errorf("exec: what attempt %d did cannot be put back: %w", was.Number, err)
	}
	have, err := a.Work.Scanner.Scan(ctx, a.Work.Dir, a.Work.Tree)
	if err != nil {
		return err
	}
	if want, err = leaving(want, have, without); err != nil {
		return err
	}
	if err := a.Rec.Store.Restore(ctx, a.Work.Dir, want, have); err != nil {
		return fmt.Errorf("exec: what attempt %d did cannot be put back: %w", was.Number, err)
	}
	return nil
}

// leaving is a tree with what another one has at some paths.
func leaving(tree, other *ledger.Tree, paths []string) (*ledger.Tree, error) {
	if len(paths) == 0 {
		return tree, nil
	}
	by := map[string]*ledger.Entry{}
	for _, path := range paths {
		by[path] = nil
		if e, there := other.Lookup(path); there {
			by[path] = &e
		}
	}
	return tree.Edited(by)
}
