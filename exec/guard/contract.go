package guard

import (
	"slices"
	"sync"

	"github.com/planlock/planlock/plan"
)

// A Contract is a locked plan made ready to be decided upon: it finds the steps
// of the plan, and what their tasks depend on. Plan must not be changed once a
// method was called. A Contract may be used from several goroutines, and must
// not be copied.
type Contract struct {
	Plan *plan.Plan

	once  sync.Once
	index index

	looked sync.Once
	lanes  *plan.Lanes
}

// An index is what a contract has to look up in its plan.
type index struct {
	places  map[plan.Address]place
	needs   map[string]map[string]bool // all tasks that a task needs, directly or not
	intents []*plan.Step               // that bring a test
}

// A place is where a step stands in the plan.
type place struct {
	task *plan.Task
	step *plan.Step
	next *plan.Step // in the task; nil behind the last one
}

// ready makes the index, once.
func (c *Contract) ready() *index {
	c.once.Do(func() {
		c.index = index{places: map[plan.Address]place{}, needs: needs(c.Plan)}
		for i := range c.Plan.Tasks {
			task := &c.Plan.Tasks[i]
			for j := range task.Steps {
				at := place{task: task, step: &task.Steps[j]}
				if j+1 < len(task.Steps) {
					at.next = &task.Steps[j+1]
				}
				c.index.places[at.step.Address] = at
				if at.step.TestIntent != nil {
					c.index.intents = append(c.index.intents, at.step)
				}
			}
		}
	})
	return &c.index
}

// At finds a step by its address, with its task; nil if the plan does not have
// it.
func (c *Contract) At(a plan.Address) (*plan.Task, *plan.Step) {
	at := c.ready().places[a]
	return at.task, at.step
}

// Behind is the step that follows one in its task, or nil.
func (c *Contract) Behind(a plan.Address) *plan.Step { return c.ready().places[a].next }

// Intents are the steps that bring a test, in the order of the plan.
func (c *Contract) Intents() []*plan.Step { return c.ready().intents }

// Lanes tell which steps of the plan may run at once.
func (c *Contract) Lanes() *plan.Lanes {
	c.looked.Do(func() { c.lanes = c.Plan.Lanes() })
	return c.lanes
}

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
func (c *Contract) Needs(task, other string) bool { return c.ready().needs[task][other] }

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
