package analysis

import (
	"slices"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// KPIs are the figures by which a run is compared with others.
type KPIs struct {
	Tasks        int
	Completed    Rate // tasks that were completed, of all
	RetrySuccess Rate // tasks that were completed after something was tried anew, of those in which it was
	Evidence     Rate // tasks whose evidence was found, of those that needed some
	Unaided      Rate // steps that were completed without a question, of those that were completed
	// Recovered are steps that failed and were completed without a question, of
	// those of which an attempt failed of itself.
	Recovered Rate
	// TestFirst are the steps whose test was seen to fail first, of those that were
	// to write one first, and those that changed code where tests come first.
	TestFirst Rate
	Resumed   int // times that the run was taken up again
	Tokens    int64
	Cost      history.Money
}

// measure computes the figures.
func measure(p *plan.Plan, r *history.Run) KPIs {
	k := KPIs{Tasks: len(p.Tasks), Completed: Rate{Of: len(p.Tasks)}, Resumed: r.Resumptions, Tokens: r.Flow.Tokens,
		Cost: r.Flow.Cost}
	byTask, contract := map[string][]*history.Step{}, &guard.Contract{Plan: p}
	for _, s := range r.Steps {
		byTask[s.Task] = append(byTask[s.Task], s)
		k.step(contract, r, s)
	}
	for _, t := range p.Tasks {
		done := completed(r, t.ID)
		if done {
			k.Completed.N++
		}
		if retried(r, t.ID, byTask[t.ID]) {
			k.RetrySuccess.Of++
			if done {
				k.RetrySuccess.N++
			}
		}
		if e := r.Task(t.ID).Evidence(); e != nil && len(e.Items) > 0 {
			k.Evidence.Of++
			if e.Pass {
				k.Evidence.N++
			}
		}
	}
	return k
}

// step adds a step to the figures about steps.
func (k *KPIs) step(c *guard.Contract, r *history.Run, s *history.Step) {
	unaided := !slices.ContainsFunc(slices.Concat(s.Earlier, s.Questions), history.Exchange.AboutStep)
	if s.Stands() == history.Completed {
		k.Unaided.Of++
		if unaided {
			k.Unaided.N++
		}
	}
	task, planned := c.At(s.Address)
	intends := planned != nil && planned.TestIntent != nil && planned.TestIntent.Test != ""
	var cycle flow.Cycle
	if planned != nil && r.Started.TestFirst {
		cycle = flow.CycleOf(c.Plan, task, planned, r.Flow.Strategy)
	}
	failed, first, wanted := false, false, (intends || len(cycle.Phases) > 0) && len(s.Attempts) > 0
	for _, a := range attempts(s) {
		failed = failed || a.Faulty()
		first = first || intends && sawRed(a)
		wanted = wanted || cycle.Missing && changedCode(a) || len(a.Cycles) > 0
		first = first || slices.ContainsFunc(a.Cycles, func(c history.Cycle) bool {
			return c.Phase == history.Red && c.Holds
		})
	}
	if wanted {
		k.TestFirst.Of++
		if first {
			k.TestFirst.N++
		}
	}
	if failed {
		k.Recovered.Of++
		if s.Status == history.Completed && unaided {
			k.Recovered.N++
		}
	}
}

// changedCode reports whether an attempt changed what a test can come before.
func changedCode(a *history.Attempt) bool {
	return a.Accounted != nil && slices.ContainsFunc(a.Accounted.Changes, func(c ledger.Change) bool {
		return !flow.Prose(c.Path)
	})
}

// sawRed reports whether the gate that runs the test of a step's intent saw it
// fail in what the attempt wrote.
func sawRed(a *history.Attempt) bool {
	return slices.ContainsFunc(a.Gates, func(j gate.Judgement) bool {
		return j.Gate == "test-intent" && j.Verdict != nil && j.Verdict.Result == gate.Passed
	})
}

// completed reports whether a task is done: by its last word where there is
// one, else by its steps.
func completed(r *history.Run, task string) bool {
	return r.Task(task).Status() == history.Completed
}

// retried reports whether anything of a task was tried anew, at any point (see
// [history.Step.Anew]): a retry that was refused was none.
func retried(r *history.Run, task string, steps []*history.Step) bool {
	if n := r.Task(task).Retries(); n.Approval > 0 || n.Verification > 0 {
		return true
	}
	for _, s := range steps {
		if s.Anew() > 0 {
			return true
		}
	}
	return false
}
