// Package completion judges whether a plan is whole at its two ends. [Plan]
// states the plan's own check, in planning, and blocks the approval (level 2);
// [Gate] decides the completion criteria when all steps are done (level 1).
package completion

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/decide"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/gate/internal/workspace"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Gate is the gate that decides what the plan asks for when all steps are done.
func Gate() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "completion",
		Doc:     "At the end every check of completion_criteria and of a requirement must hold, and every path that a step declares as created must be there unless a later step declares it deleted; every symbol of [[surfaces]] must be declared as it says, with the errors of its package that it names.",
		Version: "1", Level: gate.BlocksStep, Phases: []gate.Phase{gate.Final}, Stateless: true,
	}, nil, judgeCompletion)
}

// judgeCompletion has every criterion decided that a machine can decide, one by
// one: where some hold and some do not, the whole is complete in part. Those
// in words are evidence for whoever reads the report: no machine may say that
// they hold.
func judgeCompletion(ctx context.Context, pass *gate.Pass) error {
	if pass.Plan == nil {
		return errors.New("completion: the pass has no plan")
	}
	for _, text := range pass.Plan.Completion.AcceptanceCriteria {
		pass.Nothingf("acceptance criterion, in words: %s", text)
	}
	if err := stillThere(pass); err != nil {
		return err
	}
	if err := surfacesHold(ctx, pass); err != nil {
		return err
	}
	return decide.Criteria(ctx, pass, code.Completion, pass.Plan.FinalChecks())
}

// stillThere looks for the created paths of all steps.
func stillThere(pass *gate.Pass) error {
	var due []string
	by := map[string]plan.Address{}
	for _, s := range inOrder(pass) {
		if s.Artifacts == nil {
			continue
		}
		due = slices.DeleteFunc(due, func(p string) bool { return deletes(s, p) })
		for _, p := range s.Artifacts.Declared().Create {
			if !ledger.IsGlob(p) && !slices.Contains(due, p) {
				due, by[p] = append(due, p), s.Address
			}
		}
	}
	if len(due) == 0 {
		pass.Nothingf("no created paths are to be looked for")
		return nil
	}
	w, err := workspace.Open(pass.Dir)
	if err != nil {
		return err
	}
	defer w.Close()
	for _, p := range due {
		switch _, err := w.Lstat(p); {
		case err == nil:
		case workspace.Gone(err):
			pass.Report(gate.Finding{Code: code.Completion, Path: p, Message: fmt.Sprintf("%q, which step %s declares as created, is not there at the end", p, by[p]),
				Expected: fmt.Sprintf("%q is there", p), Happened: "nothing stands there"})
		default:
			return fmt.Errorf("completion: %w", err)
		}
	}
	pass.Evidencef("%d created paths were looked for", len(due))
	return nil
}

// deletes reports whether a step declares that it deletes a path, by name or by
// a glob.
func deletes(s *plan.Step, p string) bool {
	return slices.ContainsFunc(s.Artifacts.Declared().Delete, func(pattern string) bool {
		matched, err := doublestar.Match(pattern, p)
		return pattern == p || err == nil && matched
	})
}

// inOrder lists the steps in the order of execution, or as declared where the
// plan gives none.
func inOrder(pass *gate.Pass) []*plan.Step {
	var out []*plan.Step
	p := pass.Plan
	for _, a := range pass.InOrder() {
		if _, s, ok := p.Step(a); ok {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		for t := range p.Tasks {
			for s := range p.Tasks[t].Steps {
				out = append(out, &p.Tasks[t].Steps[s])
			}
		}
	}
	return out
}
