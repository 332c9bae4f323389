package exec

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Already is a step whose work seems to be there before anything ran.
type Already struct {
	Step     plan.Address
	Code     string   // acknowledging it leaves the step out: "done:2.1"
	Evidence []string // what speaks for it
}

// Already lists the steps of a draft that are marked as done in its source, and
// those of which everything that they declare holds in the workspace as it is:
// what they create is there, what they delete is not, and their postconditions
// hold. Something must be declared that can be seen. It changes nothing and
// runs no command, so a step with a postcondition that needs one is not listed
// unless its source marks it.
//
// The steps come in the order of execution.
func (c *Controller) Already(ctx context.Context, draft *plan.Draft) ([]Already, error) {
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
		Log: e.Rec.Log,
		Content: func(_ context.Context, entry ledger.Entry) (io.ReadCloser, error) {
			return worktree.OpenIn(e.Work.Root, entry.Path)
		}}
	var list []Already
	for _, a := range e.Plan.Graph().Order {
		at := e.Contract.At(a)
		if at.Step == nil {
			continue
		}
		var evidence []string
		if at.Step.Status == plan.Done || at.Step.Status == "" && at.Task.Status == plan.Done {
			evidence = append(evidence, "its source marks it as done")
		}
		pass.Task, pass.Step = at.Task, at.Step
		holds, against := e.stands(ctx, e.Panel.Prepare(pass), tree, false)
		if len(against) == 0 {
			evidence = append(evidence, holds...)
		}
		if len(evidence) > 0 {
			list = append(list, Already{Step: a, Code: plan.DoneCode(a), Evidence: evidence})
		}
	}
	return list, ctx.Err()
}

// stillKinds are the checks that look and do nothing.
var stillKinds = []string{"file_exists", "file_absent", "file_contains", "symbol_exists", "symbol_absent"}

// stands looks at what a step declares, and says what of it holds in the tree
// and what does not. Without commands, a postcondition that needs one cannot be
// decided, which speaks against the step.
func (e *execution) stands(ctx context.Context, pass *gate.Pass, tree *ledger.Tree, commands bool) (evidence,
	against []string) {
	if a := pass.Step.Artifacts; a != nil {
		for _, p := range slices.Concat(a.Create, a.Modify) {
			if !inTree(tree, p) {
				against = append(against, p+" is not there")
			}
		}
		for _, p := range a.Create {
			evidence = append(evidence, p+" is there")
		}
		for _, p := range a.Delete {
			if inTree(tree, p) {
				against = append(against, p+" is still there")
			}
			evidence = append(evidence, p+" is gone")
		}
	}
	for _, check := range pass.Step.Postconditions {
		name := strings.TrimSpace(check.Kind + " " +
			strings.Join(slices.DeleteFunc([]string{check.Path, check.Symbol, check.Run, check.Package},
				func(s string) bool { return s == "" }), " "))
		if !commands && !slices.Contains(stillKinds, check.Kind) {
			against = append(against, name+" was not decided: it runs something")
			continue
		}
		v, err := pass.Decide(ctx, check)
		switch {
		case err != nil:
			against = append(against, fmt.Sprintf("%s was not decided: %v", name, err))
		case v.Result != gate.Passed:
			against = append(against, name+" does not hold")
		default:
			evidence = append(evidence, name+" holds")
		}
	}
	return evidence, against
}

// inTree reports whether a path, or something that a glob matches, is in a
// tree.
func inTree(tree *ledger.Tree, pattern string) bool {
	if _, ok := tree.Lookup(pattern); ok || !ledger.IsGlob(pattern) {
		return ok
	}
	for entry := range tree.All() {
		if ledger.Match(pattern, entry.Path) {
			return true
		}
	}
	return false
}

// lookWhetherDone finds out whether what a step declares holds, whose work the
// lock says is done. A word that the workspace contradicts stops the run before
// the step.
func (e *execution) lookWhetherDone(ctx context.Context, s *history.Step) error {
	tree, err := e.Work.Known(ctx)
	if err != nil {
		return err
	}
	e.Work.Tree = tree
	r := e.Runner(nil)
	pass := e.Pass(gate.Before, s, r)
	pass.Before, pass.After = tree, tree
	evidence, against := e.stands(ctx, e.Panel.Prepare(pass), tree, true)
	if r.Ran() || e.Touchy {
		e.Rec.Seen.Disturb(contract.StrangersRan)
	}
	if session.Interrupted(ctx) {
		return nil // the loop stops
	}
	if len(against) > 0 {
		return e.LetGo(ctx, &session.Refusal{Run: e.Rec.Run.Started.Run, Reasons: append([]string{
			fmt.Sprintf("step %s was acknowledged as done, and it is not:", s.Address)}, against...),
			Hint: fmt.Sprintf("make it so and resume, or lock the plan again without %s", plan.DoneCode(s.Address))})
	}
	e.Rec.Seen.For = evidence
	e.Rec.Seen.Saw(contract.Done)
	return nil
}
