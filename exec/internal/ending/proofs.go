package ending

import (
	"context"
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/control"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// proofs are the checks that prove steps still, and what is told of steps of which
// none does: each holds at the end only by what later steps made of what steers it.
// What a later step declares, and what a person kept, is as it is to be.
func (e *Ending) proofs(ctx context.Context, final *gate.Pass) (map[string]bool, []history.Control, error) {
	adopted, err := e.adopted(ctx)
	if err != nil {
		return nil, nil, err
	}
	standing := map[string]bool{}
	var lost []history.Control
	var later laterSteps
	for _, s := range slices.Backward(e.accepted()) {
		task, step := e.Judging.At(s.Address)
		if step == nil {
			continue
		}
		asked := func(_ plan.Check, c ledger.Change) bool {
			return adopted.since(s, c.Path) ||
				later.any(func(by *plan.Step) bool { return by.DeclaresAnew(s.Address, c.Path) })
		}
		pass := *final
		pass.Task, pass.Step = task, step
		all, stands, err := e.lost(ctx, s, &pass, asked)
		if err != nil {
			return nil, nil, err
		}
		for _, check := range stands {
			standing[check] = true
		}
		if len(stands) == 0 {
			lost = append(lost, all...)
		}
		later = append(later, laterStep{step, s.Account()})
	}
	return standing, lost, nil
}

// lost asks the checks by which a step is proved, and tells those that prove it no
// more from those that do.
func (e *Ending) lost(ctx context.Context, s *history.Step, pass *gate.Pass,
	asked func(plan.Check, ledger.Change) bool) (lost []history.Control, stands []string, err error) {
	checks := slices.DeleteFunc(slices.Clone(pass.Step.Postconditions), func(c plan.Check) bool {
		return !slices.ContainsFunc(s.Controls(), func(told history.Control) bool {
			return told.Check == c.String() && told.Proves()
		})
	})
	if len(checks) == 0 {
		return nil, nil, nil
	}
	if pass.Before, err = e.Rec.Store.Tree(ctx, s.Left()); err != nil {
		return nil, nil, err
	}
	c := &control.Case{Work: e.Work, Pass: pass, Changes: ledger.Diff(pass.Before, pass.After), Asked: asked,
		Touched: e.Touchy}
	for _, check := range checks {
		result, own := history.ControlHolds, []string(nil)
		if check.Lasts() {
			if result, own, err = c.Lost(ctx, check); err != nil {
				return nil, nil, err
			}
		}
		if result == history.ControlHolds {
			stands = append(stands, check.String())
			continue
		}
		lost = append(lost, history.Control{Check: check.String(), Before: history.ControlHolds, Withheld: result,
			Own: own, Lost: []plan.Address{s.Address}})
	}
	return lost, stands, nil
}
