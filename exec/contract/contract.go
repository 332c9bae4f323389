// Package contract is a locked plan made ready to be decided upon.
//
// A [Contract] finds the steps of a plan, what their tasks depend on, and what
// persons have granted besides. A [Case] is one question about it: the
// contract, the policy, the history of a run and, mostly, one of its steps.
// Everything here is a pure function of these, so that a live run, a resumed
// one and another machine decide the same.
package contract

import (
	"slices"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// A Place is where a step stands in the plan.
type Place struct {
	Task *plan.Task
	Step *plan.Step
	Next *plan.Step // in the task; nil behind the last one
}

// A Contract is a plan with its indexes. It is not changed once it was made,
// and may be used from several goroutines.
type Contract struct {
	Plan *plan.Plan
	// Intents are the steps that bring a test, in the order of the plan.
	Intents []*plan.Step

	places map[plan.Address]Place
	needs  map[string]map[string]bool // all tasks that a task needs, directly or not
}

// Of makes a plan ready. The plan must not be changed afterwards.
func Of(p *plan.Plan) *Contract {
	c := &Contract{Plan: p, places: map[plan.Address]Place{}, needs: needs(p)}
	for i := range p.Tasks {
		for j := range p.Tasks[i].Steps {
			at := Place{Task: &p.Tasks[i], Step: &p.Tasks[i].Steps[j]}
			if j+1 < len(at.Task.Steps) {
				at.Next = &at.Task.Steps[j+1]
			}
			c.places[at.Step.Address] = at
			if at.Step.TestIntent != nil {
				c.Intents = append(c.Intents, at.Step)
			}
		}
	}
	return c
}

// At finds a step by its address. The zero Place is one that the plan does not
// have.
func (c *Contract) At(a plan.Address) Place { return c.places[a] }

// Task finds a task by its id, or nil.
func (c *Contract) Task(id string) *plan.Task {
	for i := range c.Plan.Tasks {
		if c.Plan.Tasks[i].ID == id {
			return &c.Plan.Tasks[i]
		}
	}
	return nil
}

// Needs reports whether a task needs another one, directly or not: by
// depends_on of the tasks or of the speclets that hold them.
func (c *Contract) Needs(task, other string) bool { return c.needs[task][other] }

// Speclet is the id of the speclet that a task belongs to, "" if it belongs to
// none.
func (c *Contract) Speclet(task string) string {
	for _, s := range c.Plan.Speclets {
		if slices.Contains(s.Tasks, task) {
			return s.ID
		}
	}
	return ""
}

// Propagation is what the plan says about earlier failures.
func (c *Contract) Propagation() plan.Propagation {
	if s := c.Plan.ErrorPropagation.Strategy; s != "" {
		return s
	}
	return plan.HaltOnCritical
}

// needs follows depends_on of tasks and of the speclets that hold them.
func needs(p *plan.Plan) map[string]map[string]bool {
	direct, holds := map[string][]string{}, map[string][]string{}
	for _, s := range p.Speclets {
		holds[s.ID] = s.Tasks
	}
	for _, t := range p.Tasks {
		direct[t.ID] = slices.Clone(t.DependsOn)
	}
	for _, s := range p.Speclets {
		for _, needed := range s.DependsOn {
			for _, t := range s.Tasks {
				direct[t] = append(direct[t], holds[needed]...)
			}
		}
	}
	all := map[string]map[string]bool{}
	for _, t := range p.Tasks {
		seen, todo := map[string]bool{}, slices.Clone(direct[t.ID])
		for len(todo) > 0 {
			next := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !seen[next] {
				seen[next] = true
				todo = append(todo, direct[next]...)
			}
		}
		all[t.ID] = seen
	}
	return all
}

// Granted is a step with what persons have accepted besides (see
// [history.Addendum]). The plan's own step is not changed.
func Granted(step *plan.Step, addenda []history.Addendum) *plan.Step {
	widened := *step
	for _, a := range addenda {
		if d := a.Artifacts; d != nil {
			have := plan.Artifacts{}
			if widened.Artifacts != nil {
				have = *widened.Artifacts
			}
			widened.Artifacts = &plan.Artifacts{
				Create: slices.Concat(have.Create, d.Create), Modify: slices.Concat(have.Modify, d.Modify),
				Delete:        slices.Concat(have.Delete, d.Delete),
				SymbolsAdd:    slices.Concat(have.SymbolsAdd, d.SymbolsAdd),
				SymbolsRemove: slices.Concat(have.SymbolsRemove, d.SymbolsRemove)}
		}
		if a.MaxFiles == nil && a.MaxLines == nil && a.Modules == nil {
			continue
		}
		limits := *widened.Limits // what was exceeded was there
		if a.MaxFiles != nil {
			limits.MaxFiles = a.MaxFiles
		}
		if a.MaxLines != nil {
			limits.MaxLines = a.MaxLines
		}
		if a.Modules != nil {
			limits.Modules = a.Modules
		}
		widened.Limits = &limits
	}
	return &widened
}

// WithinTree reports whether restoring a tree undoes all of a step.
func WithinTree(s *history.Step) bool { return s.Rollback == plan.Reversible || s.Rollback == "" }

// InFlight reports whether an attempt of a step has begun and nothing is known
// of its end. s may be nil.
func InFlight(s *history.Step) bool {
	return s != nil && s.Last() != nil && s.Last().Failure == nil && s.Status == history.InFlight
}

// Method finds a way to do a step by its name. Where reviewers approved a
// patched draft, what was approved is what is done.
func (c *Contract) Method(run *history.Run, s *history.Step, id string) method.Method {
	step := c.At(s.Address).Step
	if a := run.Task(s.Task).Approval(); id == recovery.Primary && a != nil && a.Status == history.ApprovedRetry &&
		a.Step == s.Address {
		if p := s.Patch(a.Patch); p != nil {
			id = p.ID
		}
	}
	return method.Find(step, s, id)
}

// Current is the step that is under way, or nil. There is one lane for now; who
// asks this has to be changed where there are more.
func Current(r *history.Run) *history.Step {
	for _, s := range r.UnderWay() {
		return s
	}
	return nil
}

// Pending is the question that waits for an answer, or nil: of the one lane, or
// of the run as a whole.
func Pending(r *history.Run) *ask.Question {
	for _, q := range r.Questions() {
		return q
	}
	return nil
}
