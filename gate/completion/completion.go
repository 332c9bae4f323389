// Package completion judges whether a plan is whole at its two ends. [Plan]
// states the plan's own check, in planning, and blocks the approval (level 2);
// [Gate] decides the completion criteria when all steps are done (level 1).
package completion

import (
	"context"
	"errors"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/decide"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/internal/code"
)

// Gate is the gate that decides what the plan asks for when all steps are done.
func Gate() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "completion",
		Doc:     "At the end every check of completion_criteria and of a requirement must hold; every symbol of [[surfaces]] must be declared as it says, with the errors of its package that it names.",
		Version: "2", Level: gate.BlocksStep, Phases: []gate.Phase{gate.Final}, Stateless: true,
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
	if err := surfacesHold(ctx, pass); err != nil {
		return err
	}
	return decide.Criteria(ctx, pass, code.Completion, pass.Plan.FinalChecks())
}
