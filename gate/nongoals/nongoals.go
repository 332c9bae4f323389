// Package nongoals protects what a plan says must not be touched. [Declared]
// looks at what steps declare, in planning, and blocks the approval (level 2);
// [Gate] looks at what a step changed, during, and blocks the step (level 1).
//
// A pattern without wildcards covers a folder with all that is below it, a
// protected type its methods. Any change of a protected path counts, of its
// mode and of its formatting too: who says "do not touch" does not want to know
// why it was touched. Symbols are compared by the text of their declaration, in
// each language that somebody reads; in a file that nobody reads any change may
// be one of a protected symbol, so that nobody can say that it is none.
package nongoals

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/say"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Gate is the gate that protects what must not be touched. It looks at
// artifacts: what a step says of itself plays no part.
func Gate() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "non-goals",
		Doc:     "No path of a non-goal may change in any way (a change of mode or formatting is one), and no symbol of a non-goal may be added, removed, or have its declaration's text changed. Where nobody reads a file that may hold such a symbol, no change of it passes.",
		Version: "2", Level: gate.BlocksStep, Phases: []gate.Phase{gate.During}, Stateless: true,
	}, content.Unchanged, judgeNonGoals)
}

// judgeNonGoals looks at every change, whatever was declared: a non-goal goes
// before what a step says.
func judgeNonGoals(ctx context.Context, pass *gate.Pass) error {
	if pass.Plan == nil {
		return errors.New("non-goals: the pass has no plan")
	}
	if len(pass.Plan.NonGoals) == 0 || len(pass.Changes)+len(pass.Symbols) == 0 {
		pass.Nothingf("changes: %d, non-goals: %d", len(pass.Changes), len(pass.Plan.NonGoals))
		return nil
	}
	for _, n := range pass.Plan.NonGoals {
		for _, c := range pass.Changes {
			if pattern, ok := protects(n, c.Path); ok {
				pass.Report(gate.Finding{Code: code.NonGoal, Path: c.Path,
					Message: fmt.Sprintf("%q must not be touched: non-goal %q (%s) protects %q", c.Path, n.ID,
						n.Text, pattern),
					Expected: fmt.Sprintf("%q left as it was", c.Path), Happened: say.Change(c)})
			}
		}
		for _, s := range pass.Symbols {
			if name, ok := protectsSymbol(n, s.Name); ok {
				reportSymbol(pass, n, name, s)
			}
		}
	}
	if err := judgeProtectedSymbols(ctx, pass); err != nil {
		return err
	}
	pass.Evidencef("held against the non-goals (%d), changes: %d", len(pass.Plan.NonGoals), len(pass.Changes))
	return nil
}

// reportSymbol reports a protected symbol that was added or removed.
func reportSymbol(pass *gate.Pass, n plan.NonGoal, name string, s ledger.Symbol) {
	pass.Report(gate.Finding{Code: code.NonGoal, Path: s.Path, Line: s.Line,
		Message: fmt.Sprintf("symbol %q must not be touched: non-goal %q (%s) protects %q", s.Name, n.ID, n.Text,
			name),
		Expected: fmt.Sprintf("%q left as it was", s.Name), Happened: say.Symbol(s.Op)})
}

// protects finds the pattern of a non-goal that covers a path. A pattern
// without wildcards covers a folder with all below it.
func protects(n plan.NonGoal, p string) (pattern string, ok bool) {
	for _, pattern := range n.Paths {
		clean := path.Clean(pattern)
		if clean == "." || p == clean || strings.HasPrefix(p, clean+"/") {
			return pattern, true
		}
		if matched, err := doublestar.Match(clean, p); err == nil && matched {
			return pattern, true
		}
	}
	return "", false
}
