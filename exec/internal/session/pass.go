package session

import (
	"context"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/testfirst"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Pass is what gates may look at, of a step or of the run as a whole.
func (s *Session) Pass(phase gate.Phase, of *history.Step, r gate.CommandRunner) *gate.Pass {
	introduced, broken := s.invariants(of)
	pass := &gate.Pass{
		Phase: phase, Plan: s.Judging.Plan, RunID: s.Rec.Run.Started.Run, Dir: s.Work.Dir, Base: s.Work.Base,
		Content: s.Work.Content(s.Work.Dir), OpenIntents: s.openIntents(of), Frozen: s.frozen(of),
		Introduced: introduced, Broken: broken, Kept: s.Rec.Run.Kept(), Runner: r, Log: s.Rec.Log,
		Sources: s.Sources, Order: s.order,
	}
	if shows, ok := r.(interface{ Seen(dir string) string }); ok {
		pass.Path = shows.Seen(pass.Dir)
	}
	if of != nil {
		pass.Task, pass.Step = s.Judging.At(of.Address)
		if len(of.Addenda) > 0 {
			pass.Step, pass.Vouched = of.Granted(pass.Step), of.Vouched()
		}
		if phase == gate.Before {
			done := func(o *history.Step) bool { return o.Status == history.Completed }
			pass.Opening = !slices.ContainsFunc(s.Rec.Run.Steps, done)
			back := s.Rec.Run.RolledBack
			pass.SetBack = len(back) > 0 && back[len(back)-1].To == of.Address && len(of.Attempts) == 0
		}
		pass.Feedback = failures(of)
		if last := of.Last(); last != nil {
			pass.Began = last.Started
		}
		pass.Since = func(ctx context.Context) (*ledger.Tree, error) { return s.beforeTask(ctx, pass) }
	}
	return pass
}

// order lists the steps in the order of execution.
func (s *Session) order() []plan.Address {
	order := make([]plan.Address, len(s.Rec.Run.Steps))
	for i, step := range s.Rec.Run.Steps {
		order[i] = step.Address
	}
	return order
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

// frozen are the tests that earlier steps wrote, that failed at their end, and
// that no completed step has fixed yet.
func (s *Session) frozen(of *history.Step) []gate.Frozen {
	var all []gate.Frozen
	for _, step := range s.Contract.Intents() {
		writer, fixer := s.Rec.Run.Step(step.Address), s.Rec.Run.Step(step.TestIntent.FixedBy)
		if writer == nil || writer == of || writer.Status != history.Completed || writer.Last() == nil ||
			writer.Last().Accounted == nil || fixer != nil && fixer != of && fixer.Status == history.Completed {
			continue
		}
		changes := writer.Last().Accounted.Changes
		files := testfirst.Frozen(step.TestIntent.Test, changes)
		f := gate.Frozen{Intent: step.TestIntent, By: step.Address}
		for _, c := range changes {
			if slices.Contains(files, c.Path) {
				f.Files = append(f.Files, *c.After)
			}
		}
		all = append(all, f)
	}
	return all
}
