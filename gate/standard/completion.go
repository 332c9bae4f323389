package standard

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// completion decides what the plan asks for when all steps are done.
func completion() gate.Gate {
	return gate.New(info("completion",
		"At the end every check of completion_criteria must hold, and every path that a step declares as created must be there unless a later step declares it deleted.",
		gate.BlocksStep, gate.Final), judgeCompletion)
}

func judgeCompletion(ctx context.Context, pass *gate.Pass) error {
	if pass.Plan == nil {
		return errors.New("standard: completion: the pass has no plan")
	}
	for _, text := range pass.Plan.Completion.AcceptanceCriteria {
		pass.Evidencef("acceptance criterion, in words: %s", text)
	}
	if err := stillThere(pass); err != nil {
		return err
	}
	return decideAll(ctx, pass, gate.CodeCompletion, "completion check", pass.Plan.Completion.Checks)
}

// stillThere looks for the created paths of all steps.
func stillThere(pass *gate.Pass) error {
	var due []string
	by := map[string]plan.Address{}
	for _, s := range inOrder(pass.Plan) {
		if s.Artifacts == nil {
			continue
		}
		due = slices.DeleteFunc(due, func(p string) bool { return deletes(s, p) })
		for _, p := range s.Artifacts.Declared().Create {
			if !isGlob(p) && !slices.Contains(due, p) {
				due, by[p] = append(due, p), s.Address
			}
		}
	}
	if len(due) == 0 {
		return nil
	}
	w, err := openWorkspace(pass.Dir)
	if err != nil {
		return err
	}
	defer w.Close()
	for _, p := range due {
		switch _, err := w.Lstat(p); {
		case err == nil:
		case gone(err):
			pass.Report(gate.Finding{Code: gate.CodeCompletion, Path: p, Message: fmt.Sprintf("%q, which step %s declares as created, is not there at the end", p, by[p]),
				Expected: fmt.Sprintf("%q is there", p), Happened: "nothing stands there"})
		default:
			return fmt.Errorf("standard: completion: %w", err)
		}
	}
	pass.Evidencef("%d created paths were looked for", len(due))
	return nil
}

func deletes(s *plan.Step, p string) bool {
	return slices.ContainsFunc(s.Artifacts.Declared().Delete, func(pattern string) bool {
		matched, err := doublestar.Match(pattern, p)
		return pattern == p || err == nil && matched
	})
}

// inOrder lists the steps in the order of execution, or as declared where the plan gives none.
func inOrder(p *plan.Plan) []*plan.Step {
	var out []*plan.Step
	if g := p.Graph(); g != nil {
		for _, a := range g.Order {
			if _, s, ok := p.Step(a); ok {
				out = append(out, s)
			}
		}
	}
	if len(out) == 0 {
		eachStep(p, func(s *plan.Step) { out = append(out, s) })
	}
	return out
}
