package rewind

import (
	"context"
	"fmt"
	"slices"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/lane"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Before is the checkpoint before a step, also of one that has not begun.
func Before(run *history.Run, s *history.Step) (record.Snapshot, error) {
	switch {
	case s.Carried != nil:
		return record.Snapshot{}, &session.Refusal{Run: run.Started.Run,
			Reasons: []string{fmt.Sprintf("step %s was carried out by run %s, and taken over",
				s.Address, s.Carried.Run)},
			Hint:    "set that run back, if no other one has worked here since",
			Actions: []action.Action{{Kind: action.Rollback, Run: s.Carried.Run, Step: s.Address}}}
	case s.Checkpoint != nil, lane.Current(run) == nil, lane.Current(run) == s:
		_, to, _ := run.SetBack(s)
		return to, nil
	}
	return record.Snapshot{}, fmt.Errorf("exec: step %s has no checkpoint: it has not begun", s.Address)
}

// A Kept says what a rollback found: the tree that was there, and whether the
// run had ended, so that its own journal says nothing of it. Others is in what
// the folder differs from the tree that the run was set back to: no step did
// that, and it stays.
type Kept struct {
	Tree   record.Snapshot
	Sealed bool
	Others []ledger.Change
}

// RollBack sets a run that nobody has in hand back to before a step, whose
// checkpoint is to. The journal says who wanted that, and why; of a run that has
// ended the one beside it does.
func (r *Rewind) RollBack(ctx context.Context, s *history.Step, to record.Snapshot, by, why string) (*Kept, error) {
	done := &Kept{Sealed: r.Rec.Run.Ended != nil}
	if back := r.Rec.Run.After.Of(s.Address); back != nil && behind(s, r.Rec.Run.Step(back.To)) {
		return nil, r.Refuse("roll back to an earlier step, or carry it out again by a run that finishes this one",
			"the work of step %s is gone: the run was %s", s.Address, back)
	}
	if _, half := r.Rec.Run.Undelivered(); half { // a delivery that was begun goes forward
		if err := r.Deliveries.Deliver(ctx); err != nil {
			return nil, err
		}
	}
	if r.Rec.Run.Foreign != nil {
		return nil, r.Refuse("put that back, or answer the question about it, and resume the run first",
			"the workspace holds what no step made, and nobody said what becomes of it")
	}
	steps, _, _ := r.Rec.Run.SetBack(s)
	to, err := r.target(ctx, s, to)
	if err != nil {
		return nil, err
	}
	if r.Places() {
		if err := r.Deliveries.MayGoBack(ctx, to); err != nil {
			return nil, err
		}
	}
	root := r.Work.Dir
	if r.Places() {
		root = r.Work.Root
	}
	if done.Tree, err = r.keep(ctx, root); err != nil {
		return nil, err
	}
	if done.Sealed {
		if err := r.setBackSealed(ctx, s, to, done.Tree, by, why); err != nil {
			return done, err
		}
		done.Others, err = r.others(ctx, steps, root, to)
		return done, err
	}
	if err := r.Unwind(ctx, s); err != nil {
		return done, err
	}
	kept, err := r.keep(ctx, r.Work.Dir)
	if err != nil {
		return done, err
	}
	if err = r.Rec.Record(ctx, s.Where(0), moved(s, to, kept, by, why)...); err != nil {
		return nil, err
	}
	restored, err := r.Work.Restorer().Restore(ctx, r.Work.Dir, to)
	if err != nil {
		return done, err
	}
	if err := r.Rec.Record(ctx, s.Where(0), restored); err != nil {
		return done, err
	}
	if _, ok := r.Rec.Run.Undelivered(); ok {
		if err := r.Deliveries.Deliver(ctx); err != nil {
			return done, err
		}
	}
	if done.Others, err = r.others(ctx, steps, root, to); err != nil {
		return done, err
	}
	return done, r.Pause(ctx, "rolled back to before "+string(s.Address), nil)
}

// behind reports whether a step comes behind another one in the plan, or was
// carried out once more behind it.
func behind(s, to *history.Step) bool { return to.Precedes(s) || to.At < s.At }

// others brings back what steps did to files that no tree has, and is in what a
// folder differs from the tree before them.
func (r *Rewind) others(ctx context.Context, steps []*history.Step, dir string, from record.Snapshot) (
	others []ledger.Change, err error) {
	if r.Places() {
		if others, err = r.Deliveries.PutBack(ctx, steps); err != nil {
			return nil, err
		}
	}
	was, err := r.Rec.Store.Tree(ctx, from)
	if err != nil {
		return nil, err
	}
	now, err := r.Work.Tolerant().Scan(ctx, dir, nil)
	return append(ledger.Diff(was, now), others...), err
}

// Stuck says that what steps did outside of the workspace could not be undone.
type Stuck struct{ error }

// Unwrap returns why.
func (s *Stuck) Unwrap() error { return s.error }

// Places reports whether what the run did stands in a workspace that it does
// not work in.
func (r *Rewind) Places() bool {
	run := r.Rec.Run
	return run.Started.Layered() && (!run.Started.Isolated || run.Delivering())
}

// keep keeps what a folder holds, before it is set back.
func (r *Rewind) keep(ctx context.Context, dir string) (record.Snapshot, error) {
	tree, err := r.Work.Tolerant().Scan(ctx, dir, nil)
	if err != nil {
		return record.Snapshot{}, err
	}
	return r.Rec.Store.Snapshot(ctx, dir, tree, r.Rec.Run.Tree)
}

// target is the tree that the run is set back to before a step: that of its
// checkpoint, with what others did since and was adopted.
func (r *Rewind) target(ctx context.Context, s *history.Step, to record.Snapshot) (record.Snapshot, error) {
	tree, base := (*ledger.Tree)(nil), to
	_, _, since := r.Rec.Run.SetBack(s)
	for _, a := range r.Rec.Run.Adopted {
		if a.At < since || since == 0 {
			continue
		}
		if tree == nil {
			var err error
			if tree, err = r.Rec.Store.Tree(ctx, to); err != nil {
				return to, err
			}
		}
		from, err := r.Rec.Store.Tree(ctx, a.From)
		if err != nil {
			return to, err
		}
		with, err := r.Rec.Store.Tree(ctx, a.To)
		if err != nil {
			return to, err
		}
		if tree, err = worktree.With(tree, ledger.Diff(from, with), with); err != nil {
			return to, err
		}
		base = a.To // has the contents
	}
	if tree == nil {
		return to, nil
	}
	return r.Rec.Store.Snapshot(ctx, r.Work.Root, tree, base)
}

// moved says that the run stands before a step. The position moves before the
// tree does: if the restore is cut off, resuming finishes it.
func moved(s *history.Step, to, kept record.Snapshot, by, why string) []history.Fact {
	return []history.Fact{&history.RolledBack{To: s.Address, Snapshot: to, By: by, Reason: why},
		&history.RestoreBegun{To: to, Discarded: kept}}
}

// SetBack sets the run back to before a step, within the run, which goes on
// from there, on the word of by, who says why; a *Stuck error if it cannot. What else is to be recorded of the
// step comes between that it was set back and its restore; before is recorded
// first.
func (r *Rewind) SetBack(ctx context.Context, s *history.Step, by, why string, before []history.Located,
	besides ...history.Fact) error {
	_, to, _ := r.Rec.Run.SetBack(s)
	to, err := r.target(ctx, s, to)
	if err != nil {
		return err
	}
	kept, err := r.keep(ctx, r.Work.Dir)
	if err != nil {
		return err
	}
	if err := r.Unwind(ctx, s); err != nil {
		return &Stuck{err}
	}
	facts := moved(s, to, kept, by, why)
	facts = slices.Insert(facts, 1, besides...)
	return r.Rec.RecordAll(ctx, append(before, s.Where(0).Locate(facts...)...)...)
}

// Unwind undoes what the steps from s on did outside of the workspace: those
// that can be compensated are, the latest first. One that is irreversible, and
// has been attempted, is refused.
func (r *Rewind) Unwind(ctx context.Context, s *history.Step) error {
	steps, _, _ := r.Rec.Run.SetBack(s)
	var done []*history.Step
	for _, step := range slices.Backward(steps) {
		if len(step.Attempts) == 0 {
			continue
		}
		if step.Rollback == plan.Irreversible {
			return r.Refuse("roll back to a later step",
				"step %s is irreversible and has been attempted: it cannot be rolled back", step.Address)
		}
		if step.Status == history.Completed {
			done = append(done, step)
		}
	}
	for _, step := range done {
		if _, err := r.compensate(ctx, step); err != nil {
			return err
		}
		if c := step.Last().Compensated; c != nil && !c.Done() {
			return fmt.Errorf("exec: step %s could not be compensated (exit %d %s): %s", step.Address, c.Exit,
				c.Error, c.Output)
		}
	}
	return nil
}
