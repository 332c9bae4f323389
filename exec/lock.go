package exec

import (
	"context"
	"io"

	"github.com/planlock/planlock/exec/internal/binding"
	"github.com/planlock/planlock/exec/internal/life"
	"github.com/planlock/planlock/exec/internal/needs"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Lock checks and approves a draft and binds it to this controller's workspace
// as it is now: plan, envelope and base tree, the empty one too. The planning
// gates are asked, those of level 2 first. acknowledged are the codes of what a
// person accepted, as in "irreversible:2.1", and "agent:claude" for what an agent
// needs (see [Controller.Needs]).
//
// Where the host has [Controller.Servers], and no Tools, the tool servers of the
// plan are looked for as before a run.
//
// It changes nothing. Errors are those of plan.Lock, and *[RefusedError] where
// a gate says no, or the servers are not what the plan needs.
func (c *Controller) Lock(ctx context.Context, draft *plan.Draft, acknowledged ...string) (_ *plan.Locked, err error) {
	defer public(&err)
	if draft == nil {
		return nil, plan.ErrNoDraft
	}
	options := c.Options()
	if bad := blockingDiagnostics(draft.Check(options)); len(bad) > 0 {
		return plan.Lock(draft, plan.LockOptions{Check: options, Acknowledged: acknowledged})
	}
	e := c.execution(&draft.Plan, draft.Files)
	if err := e.ready(); err != nil {
		return nil, err
	}
	e.equip()
	e.servers.accepted = acknowledged
	if err := e.supplied(ctx); err != nil {
		return nil, err
	}
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
	locked, err := c.bind(draft, plan.LockOptions{Check: options, Envelope: env.Digest(), Base: base.Digest(),
		Acknowledged: acknowledged, Approvals: life.Verdicts(judged), Needs: needs.Acknowledgements(e.Needs)})
	if err != nil || c.Tools != nil {
		return locked, err
	}
	if _, _, err := e.life.Tools.Verify(ctx); err != nil { // of what warns, each run warns
		return nil, err
	}
	return locked, nil
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

// Already is a step whose work seems to be there before anything ran.
type Already struct {
	Step     plan.Address
	Code     string   // acknowledging it leaves the step out: "done:2.1"
	Evidence []string // what speaks for it
}

// Already lists the steps of a draft that are marked as done in its source, and
// those of which everything that they declare holds in the workspace as it is:
// what they create is there, what they delete is not, symbols that they add are
// there and those that they remove are not, and their postconditions hold.
// Something must be declared that can be seen. It changes nothing and runs no
// command, so a step with a postcondition that needs one is not listed unless its
// source marks it.
//
// The steps come in the order of execution.
func (c *Controller) Already(ctx context.Context, draft *plan.Draft) (_ []Already, err error) {
	defer public(&err)
	if draft == nil {
		return nil, plan.ErrNoDraft
	}
	e := c.execution(&draft.Plan, draft.Files)
	if err := e.seat(); err != nil {
		return nil, err
	}
	e.equip()
	tree, err := e.Work.Scanner.Scan(ctx, e.Work.Root, nil)
	if err != nil {
		return nil, err
	}
	pass := &gate.Pass{Phase: gate.Before, Plan: e.Plan, Dir: e.Work.Root, Base: tree, Before: tree, After: tree,
		Log: e.Rec.Log, Sources: e.Sources,
		Content: func(_ context.Context, entry ledger.Entry) (io.ReadCloser, error) {
			return worktree.OpenIn(e.Work.Root, entry.Path)
		}}
	var list []Already
	for _, a := range e.Plan.Sequence(draft.Format) {
		task, step := e.Contract.At(a)
		if step == nil {
			continue
		}
		var evidence []string
		if task.MarksDone(step) {
			evidence = append(evidence, "its source marks it as done")
		}
		if task.Summary != "" {
			evidence = append(evidence, task.Summary+" says that it is done; a run looks whether it is, and leaves it out then")
		}
		pass.Task, pass.Step = task, step
		holds, against := binding.Stands(ctx, e.Panel.Prepare(pass), tree, false)
		if len(against) == 0 {
			evidence = append(evidence, holds...)
		}
		if len(evidence) > 0 {
			list = append(list, Already{Step: a, Code: a.DoneCode(), Evidence: evidence})
		}
	}
	return list, ctx.Err()
}
