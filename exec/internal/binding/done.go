package binding

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/disturbance"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// stillKinds are the checks that look and do nothing.
var stillKinds = []string{"file_exists", "file_absent", "file_contains", "symbol_exists", "symbol_absent"}

// Stands looks at what a step declares, and says what of it holds in the tree
// and what does not. Without commands, a postcondition that needs one cannot be
// decided, which speaks against the step.
func Stands(ctx context.Context, pass *gate.Pass, tree *ledger.Tree, commands bool) (evidence,
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
	for _, check := range slices.Concat(symbolsOf(pass.Step.Artifacts), pass.Step.Postconditions) {
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

// symbolsOf are the checks that the symbols which artifacts add are there, and
// those which they remove are not.
func symbolsOf(a *plan.Artifacts) (checks []plan.Check) {
	if a == nil {
		return nil
	}
	for _, name := range a.SymbolsAdd {
		checks = append(checks, plan.Check{Kind: "symbol_exists", Symbol: name})
	}
	for _, name := range a.SymbolsRemove {
		checks = append(checks, plan.Check{Kind: "symbol_absent", Symbol: name})
	}
	return checks
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

// LookWhetherDone finds out whether what a step declares holds, whose work is
// done in the words of the lock, or of a summary. A word of the lock that the
// workspace contradicts stops the run before the step.
func (b *Binding) LookWhetherDone(ctx context.Context, s *history.Step) error {
	tree, err := b.Work.Known(ctx)
	if err != nil {
		return err
	}
	r := b.Runner(nil)
	pass := b.Pass(gate.Before, s, r)
	pass.Before, pass.After = tree, tree
	acknowledged := slices.Contains(b.Rec.Run.Started.Acknowledged, s.Address.DoneCode())
	evidence, against := Stands(ctx, b.Panel.Prepare(pass), tree, true)
	if !acknowledged {
		evidence, against = summarised(pass, tree, evidence, against)
	}
	if b.Touchy {
		b.Work.Disturb()
	}
	if r.Ran() || b.Touchy {
		b.Rec.Seen.Forget(disturbance.StrangersRan...)
	}
	if session.Interrupted(ctx) {
		return nil // the loop stops
	}
	if acknowledged && len(against) > 0 {
		return b.LetGo(ctx, &session.Refusal{Run: b.Rec.Run.Started.Run, Reasons: []string{
			fmt.Sprintf("step %s was acknowledged as done, and it is not: %s", s.Address, strings.Join(against, "; "))},
			Hint: fmt.Sprintf("make it so and resume, or lock the plan again without %s", s.Address.DoneCode())})
	}
	b.Rec.Seen.For, b.Rec.Seen.Against = evidence, against
	b.Rec.Seen.Saw(guard.Done)
	return nil
}

// summarised adds what else speaks for and against a summary that says that the
// work of a step is done: the files that its task names are there, and something
// can be looked at at all.
func summarised(pass *gate.Pass, tree *ledger.Tree, evidence, against []string) (more, less []string) {
	for _, name := range pass.Task.Files {
		if inTree(tree, name) {
			evidence = append(evidence, name+" is there")
		} else {
			against = append(against, name+" is not there")
		}
	}
	if len(evidence)+len(against) == 0 {
		against = append(against, "nothing that it declares can be looked at")
	}
	return evidence, against
}
