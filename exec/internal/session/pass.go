package session

import (
	"context"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Pass is what gates may look at, of a step or of the run as a whole.
func (s *Session) Pass(phase gate.Phase, of *history.Step, r gate.CommandRunner) *gate.Pass {
	introduced := map[string]string{}
	for _, inv := range s.Plan.Invariants {
		introduced[inv.ID] = "base"
	}
	pass := &gate.Pass{
		Phase: phase, Plan: s.Judging.Plan, RunID: s.Rec.Run.Started.Run, Dir: s.Work.Dir, Base: s.Work.Base,
		Content: s.Work.Content(s.Work.Dir), OpenIntents: s.openIntents(of), Introduced: introduced, Runner: r,
		Log: s.Rec.Log,
	}
	if of != nil {
		pass.Task, pass.Step = s.Judging.At(of.Address)
		if len(of.Addenda) > 0 {
			pass.Step = of.Granted(pass.Step)
		}
		pass.Feedback = failures(of)
		pass.Since = func(ctx context.Context) (*ledger.Tree, error) { return s.beforeTask(ctx, pass) }
	}
	return pass
}

// failures are why earlier attempts of a step failed, oldest first.
func failures(of *history.Step) []string {
	var all []string
	for _, a := range of.Attempts {
		if a.Failure != nil && !a.Failure.Class.ThroughNoFault() {
			for _, r := range a.Explained() {
				all = append(all, strings.Join(r.Lines(), "\n"))
			}
		}
	}
	return all
}

// beforeTask reads the tree with which the first step of a task began that was
// carried out; that of the pass at the latest.
func (s *Session) beforeTask(ctx context.Context, pass *gate.Pass) (*ledger.Tree, error) {
	for i := range pass.Task.Steps {
		step := s.Rec.Run.Step(pass.Task.Steps[i].Address)
		if step.Address == pass.Step.Address {
			break
		}
		if began := step.BeganWith(); step.Status == history.Completed && began.Tree != "" {
			return s.Rec.Store.Tree(ctx, began)
		}
	}
	return pass.Before, nil
}

// openIntents are the test intents that a step, or one before it, brought, and
// that no completed step has fixed yet. The one that the step is to fix is
// among them: that it does is for a gate to say.
func (s *Session) openIntents(of *history.Step) []*plan.TestIntent {
	completed := func(a plan.Address) bool {
		step := s.Rec.Run.Step(a)
		return step != nil && step.Status == history.Completed
	}
	var open []*plan.TestIntent
	for _, step := range s.Contract.Intents() {
		brought := completed(step.Address) || of != nil && of.Address == step.Address
		if brought && !completed(step.TestIntent.FixedBy) {
			open = append(open, step.TestIntent)
		}
	}
	return open
}
