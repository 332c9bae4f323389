package session

import (
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// Pass is what gates may look at, of a step or of the run as a whole.
func (s *Session) Pass(phase gate.Phase, of *history.Step, r gate.CommandRunner) *gate.Pass {
	introduced := map[string]string{}
	for _, inv := range s.Plan.Invariants {
		introduced[inv.ID] = "base"
	}
	pass := &gate.Pass{
		Phase: phase, Plan: s.Judging.Plan, Dir: s.Work.Dir, Base: s.Work.Base,
		Content: s.Work.Content(s.Work.Dir), OpenIntents: s.openIntents(of), Introduced: introduced, Runner: r,
		Log: s.Rec.Log,
	}
	if of != nil {
		pass.Task, pass.Step = s.Judging.At(of.Address)
		if len(of.Addenda) > 0 {
			pass.Step = of.Granted(pass.Step)
		}
	}
	return pass
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
