package life

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/binding"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/carry"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/exec/internal/proof"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/ledger"
)

// origin is the run that the new one finishes, nil if none. Nothing of it is
// believed before its journal was verified.
func (l *Life) origin(ctx context.Context) (*history.Run, error) {
	if l.From == "" {
		return nil, nil
	}
	id, err := l.Find(ctx, l.From)
	if err != nil {
		return nil, err
	}
	run, err := (&proof.Prover{Home: l.Home}).Journal(ctx, id)
	var why string
	if err == nil {
		why, err = signing{l}.vouches(run)
	}
	switch {
	case errors.Is(err, home.ErrNoRun), ctx.Err() != nil:
		return nil, err
	case err != nil:
		why = "its journal does not hold: " + err.Error()
	}
	if why != "" {
		return nil, &session.Refusal{Err: err,
			Reasons: []string{fmt.Sprintf("nothing is taken over of run %s: %s", id, why)},
			Hint:    "put its journal back as it was, or run the plan as a whole"}
	}
	if refused := l.unfit(run); refused != nil {
		return nil, refused
	}
	return run, nil
}

// unfit refuses a run that cannot be finished by another one; nil if it can.
func (l *Life) unfit(run *history.Run) *session.Refusal {
	id := run.Started.Run
	resume := action.Action{Kind: action.Resume, Run: id}
	switch {
	case run.Ended == nil:
		return &session.Refusal{Reasons: []string{fmt.Sprintf("run %s has not ended", id)},
			Actions: []action.Action{resume, {Kind: action.Abandon, Run: id}}}
	case run.Sealed == nil:
		return &session.Refusal{
			Reasons: []string{fmt.Sprintf("run %s was cut off at its end, and lacks its documents", id)},
			Actions: []action.Action{resume},
		}
	case run.After.CutOff() != nil:
		return cutOff(run)
	case run.Started.Shadow:
		return &session.Refusal{Reasons: []string{fmt.Sprintf("run %s was a trial: nothing of it is there", id)},
			Hint: "run the plan"}
	case run.Foreign != nil && run.Foreign.Met:
		said := fmt.Sprintf("the work of step %s of run %s is not in the workspace as a whole, "+
			"and nobody said what becomes of what others did there", run.ForeignStep.Address, id)
		return &session.Refusal{
			Reasons: bound.First(append([]string{said}, run.Foreign.Changes...), bound.Lines),
			Actions: []action.Action{{Kind: action.Rollback, Run: id, Step: run.ForeignStep.Address}},
		}
	case left(run).Placed.Tree != left(run).Left.Tree && l.InPlace():
		return &session.Refusal{
			Reasons: []string{fmt.Sprintf("what run %s made was never brought into the workspace", id)},
			Hint:    `have steps work in a copy of it: leave layer = "in-place" out of [sandbox]`,
		}
	}
	return nil
}

// cutOff refuses what builds on a run that somebody began to set back.
func cutOff(run *history.Run) *session.Refusal {
	back, id := run.After.CutOff(), run.Started.Run
	return &session.Refusal{Run: id, Hint: "have that done to its end",
		Reasons: []string{fmt.Sprintf("run %s was being set back to before step %s, which was cut off, and the tree may hold half of it", id, back.To)},
		Actions: []action.Action{{Kind: action.Rollback, Run: id, Step: back.To}}}
}

// left is what a run that has ended left behind. What others did meanwhile, and
// nobody spoke about, is found again.
func left(run *history.Run) *history.Origin {
	o := &history.Origin{Run: run.Started.Run, Head: run.Head, Left: run.Tree, Placed: run.Placed}
	if !run.Started.Layered() || run.Foreign != nil {
		o.Placed = run.Tree
	}
	if back := run.After.Last(); back != nil {
		if o.Placed == o.Left {
			o.Placed = back.Snapshot
		}
		o.Left = back.Snapshot
	}
	return o
}

// takeOver has the run that begins finish another one: it begins with the tree
// that that one left, and is judged against the one that the first of them
// began with. It returns what is recorded of each step that is taken over.
func (l *Life) takeOver(ctx context.Context, run *history.Run, started *history.Started) ([]history.Located, error) {
	was, err := l.Home.Plan(ctx, run)
	if err != nil {
		return nil, err
	}
	from := left(run)
	changed, err := l.changedSince(ctx, from.Placed)
	if err != nil {
		return nil, err
	}
	c := &carry.Case{Now: l.Contract, Was: &guard.Contract{Plan: was}, Run: run, Changed: changed, Tree: l.Work.Base}
	for _, o := range started.Steps {
		c.Order = append(c.Order, o.Address)
	}
	carried, anew := c.Over()
	for _, a := range anew {
		from.Anew = append(from.Anew, a.String())
	}
	from.Anew = bound.First(from.Anew, bound.Lines)
	stays, err := l.takeBack(ctx, from, anew)
	if err != nil {
		return nil, err
	}
	for _, m := range binding.Moves(run.Started.Envelope, started.Envelope) {
		from.Moved = append(from.Moved, m.Label())
	}
	started.From, started.Base = from, run.Started.Base
	for _, line := range from.Anew {
		started.Warnings = append(started.Warnings, fmt.Sprintf("run %s accepted a step that is carried out once more%s: %s", from.Run, l.onWhat(), line))
	}
	started.Warnings = append(started.Warnings, stays...)
	if back := run.After.Last(); back != nil {
		started.Warnings = append(started.Warnings, fmt.Sprintf("run %s was %s; what was set back is carried out again",
			from.Run, back))
	}
	if later, err := l.WorkedSince(ctx, run); err == nil && later != "" && len(changed) > 0 {
		started.Warnings = append(started.Warnings,
			fmt.Sprintf("run %s was under way in the workspace after run %s had ended", later, from.Run))
	}
	if len(carried) == 0 {
		started.Warnings = append(started.Warnings, fmt.Sprintf("no step of run %s is taken over", from.Run))
	}
	return carried, nil
}

// takeBack has the run that begins start without what those steps made that it
// carries out once more: they would find their own work. Steps that work in the
// workspace itself find it as it is. What was changed since it made it stays, and
// that is told.
func (l *Life) takeBack(ctx context.Context, from *history.Origin, anew []carry.Anew) (stays []string, err error) {
	if len(anew) == 0 || l.InPlace() {
		return nil, nil
	}
	tree, err := l.Rec.Store.Tree(ctx, from.Left)
	if err != nil {
		return nil, fmt.Errorf("exec: what the run left that is to be finished is not kept: %w", err)
	}
	left := tree
	for _, a := range slices.Backward(anew) {
		back, changed := carry.Back(tree, a.Was.Accounted)
		if len(changed) > 0 {
			stays = append(stays, fmt.Sprintf("step %s is carried out once more on what was changed since it did: %s",
				a.Step, strings.Join(bound.First(changed, bound.Lines), ", ")))
		}
		if len(back) == 0 {
			continue
		}
		before, err := l.Rec.Store.Tree(ctx, a.Was.Base)
		if err != nil {
			return nil, fmt.Errorf("exec: what step %s began with is not kept: %w", a.Step, err)
		}
		if tree, err = worktree.With(tree, back, before); err != nil {
			return nil, err
		}
	}
	if tree != left {
		from.Left, err = l.Rec.Store.Snapshot(ctx, l.Work.Root, tree, from.Left)
	}
	return stays, err
}

// onWhat says what a step begins with that is carried out once more.
func (l *Life) onWhat() string {
	if l.InPlace() {
		return ", on what it left"
	}
	return ", and what it made in the workspace is taken back"
}

// changedSince is what somebody did in the workspace since it held a tree.
func (l *Life) changedSince(ctx context.Context, held record.Snapshot) ([]ledger.Change, error) {
	if l.Work.Base.Digest() == held.Tree {
		return nil, nil
	}
	tree, err := l.Rec.Store.Tree(ctx, held)
	if err != nil {
		return nil, fmt.Errorf("exec: what the run left that is to be finished is not kept: %w", err)
	}
	return ledger.Diff(tree, l.Work.Base), nil
}
