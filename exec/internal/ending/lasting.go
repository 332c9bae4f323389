package ending

import (
	"context"
	"path"
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// lasting are the postconditions of accepted steps that are decided once more
// about the final tree, and what these steps declare of artifacts, of steps that
// left another tree. What a later step says otherwise of is left to that one,
// and a file that somebody else changed, and a person kept, to that person. What
// is known to hold on the final tree, or is decided about it anyway, is not asked
// again.
func (e *Ending) lasting(ctx context.Context, final *ledger.Tree) ([]gate.Lasting, error) {
	adopted, err := e.adopted(ctx)
	if err != nil {
		return nil, err
	}
	accepted, decided := e.accepted(), e.decided(final.Digest())
	essential := e.Plan.Essential()
	var all []gate.Lasting
	var later laterSteps
	var since []plan.Address
	for _, s := range slices.Backward(accepted) {
		task, step := e.Judging.At(s.Address)
		if step == nil {
			continue
		}
		step = s.Granted(step)
		made := s.Account()
		l := gate.Lasting{Task: task, Step: step, Essential: essential(step), Since: slices.Clone(since)}
		slices.Reverse(l.Since)
		for _, c := range step.Postconditions {
			takesOver := func(by *plan.Step) bool { return by.TakesOver(s.Address, c) }
			if c.Lasts() && !slices.Contains(decided, c.String()) && !later.any(takesOver) &&
				!adopted.since(s, c.Path) {
				l.Checks = append(l.Checks, c)
			}
		}
		if s.Left().Tree != final.Digest() {
			open := func(path string) bool { return !adopted.since(s, path) }
			later.declared(&l, final, made, open)
			if len(l.Checks)+len(l.Undone)+l.Artifacts > 0 {
				all = append(all, l)
			}
		}
		later = append(later, laterStep{step, made})
		if made != nil && len(made.Changes) > 0 {
			since = append(since, s.Address)
		}
	}
	slices.Reverse(all)
	return all, nil
}

// accepted are the steps whose work is part of the tree: those that were taken
// over, and then those that were completed, in the order in which they ended. A
// step that a person settled did no work.
func (e *Ending) accepted() []*history.Step {
	var steps []*history.Step
	for _, s := range e.Rec.Run.Steps {
		if s.Carried != nil && s.Carried.Settled == "" {
			steps = append(steps, s)
		}
	}
	for _, s := range e.Rec.Run.Concluded() {
		if s.Completed != nil {
			steps = append(steps, s)
		}
	}
	return steps
}

// decided are the checks that were decided about the final tree, since a step
// left it, and those that other gates decide about it, as they are written.
func (e *Ending) decided(final ledger.Digest) []string {
	var checks []string
	for _, s := range e.Rec.Run.Concluded() {
		if _, step := e.Judging.At(s.Address); step != nil && s.Left().Tree == final {
			for _, c := range step.Postconditions {
				checks = append(checks, c.String())
			}
		}
	}
	for _, c := range e.Plan.FinalChecks() {
		checks = append(checks, c.Check.String())
	}
	for _, v := range e.Plan.Invariants {
		if v.Check != nil {
			checks = append(checks, v.Check.String())
		}
	}
	return checks
}

// adoptions are what others did in the workspace and a person kept, in order.
type adoptions []adoption

type adoption struct {
	at    uint64 // position in the journal
	paths []string
}

// adopted reads what others did and a person kept.
func (e *Ending) adopted(ctx context.Context) (all adoptions, err error) {
	for _, a := range e.Rec.Run.Adopted {
		from, err := e.Rec.Store.Tree(ctx, a.From)
		if err != nil {
			return nil, err
		}
		to, err := e.Rec.Store.Tree(ctx, a.To)
		if err != nil {
			return nil, err
		}
		kept := adoption{at: a.At}
		for _, c := range ledger.Diff(from, to) {
			kept.paths = append(kept.paths, c.Path)
		}
		all = append(all, kept)
	}
	return all, nil
}

// since reports whether a file was changed so after a step.
func (a adoptions) since(s *history.Step, file string) bool {
	return file != "" && slices.ContainsFunc(a, func(kept adoption) bool {
		return kept.at > s.EndedAt && slices.Contains(kept.paths, path.Clean(file))
	})
}
