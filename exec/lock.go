package exec

import (
	"context"
	"slices"

	"github.com/planlock/planlock/exec/internal/life"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/lockfile"
)

// Options are what the controller adds to a plan's own rules: the check kinds,
// the gates and the executors that it knows.
func (c *Controller) Options() plan.CheckOptions {
	o := plan.CheckOptions{}
	for _, check := range c.Checks {
		o.CheckKinds = append(o.CheckKinds, check.Kind())
	}
	o.Gates = []plan.GateKind{}
	for _, g := range c.Gates {
		if info, err := panel.Describe(g); err == nil {
			o.Gates = append(o.Gates, plan.GateKind{Name: info.Name, Args: info.Args})
		}
	}
	for n, x := range c.Executors {
		if n == "" && x != nil {
			n = name(x)
		}
		if n == "" {
			o.Executors = nil
			return o // the default one answers to no name, so names cannot be checked
		}
		o.Executors = append(o.Executors, n)
	}
	slices.Sort(o.Executors)
	return o
}

// Lock checks and approves a draft and binds it to this controller's workspace
// as it is now: plan, envelope and base tree, the empty one too. The planning
// gates are asked, those of level 2 first. acknowledged are the codes of what a
// person accepted, as in "irreversible:2.1".
//
// It changes nothing. Errors are those of plan.Lock, and *[RefusedError] where
// a gate says no.
func (c *Controller) Lock(ctx context.Context, draft *plan.Draft, acknowledged ...string) (_ *plan.Locked, err error) {
	defer public(&err)
	options := c.Options()
	if bad := blockingDiagnostics(draft.Check(options)); len(bad) > 0 {
		return plan.Lock(draft, plan.LockOptions{Check: options, Acknowledged: acknowledged})
	}
	e := c.execution(&draft.Plan, draft.Files)
	if err := e.ready(); err != nil {
		return nil, err
	}
	e.equip()
	base, err := e.Work.Scanner.Scan(ctx, e.Work.Root, nil)
	if err != nil {
		return nil, err
	}
	e.Work.Base, e.Work.Tree = base, base
	env, err := e.bound.Envelope(ctx)
	if err != nil {
		return nil, err
	}
	judged, err := e.life.Approve(ctx, draft)
	if err != nil {
		return nil, err
	}
	return c.bind(draft, plan.LockOptions{Check: options, Envelope: env.Digest(), Base: base.Digest(),
		Acknowledged: acknowledged, Approvals: life.Verdicts(judged)})
}

// bind makes a lock with a name of its own, so that a run can tell whether it
// has served one before.
func (c *Controller) bind(draft *plan.Draft, o plan.LockOptions) (*plan.Locked, error) {
	o.At = c.now()
	var err error
	if o.ID, err = lockfile.NewID(o.At, c.Random); err != nil {
		return nil, err
	}
	return plan.Lock(draft, o)
}

// blockingDiagnostics are the errors among diagnostics.
func blockingDiagnostics(ds []plan.Diagnostic) []plan.Diagnostic {
	var bad []plan.Diagnostic
	for _, d := range ds {
		if d.Severity == plan.Error {
			bad = append(bad, d)
		}
	}
	return bad
}
