package document

import (
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// buildTasks groups the steps, which stand in the order of execution, by their
// tasks: in the order of their first steps, tasks without steps last.
func (rep *Model) buildTasks(p *plan.Plan, r *history.Run) {
	tasks := make(map[string]*task)
	written := make(map[plan.Address]*plan.Step)
	add := func(id string) *task {
		t := &task{ID: id, Status: "pending", DependsOn: []string{}, Steps: []*step{}}
		tasks[id] = t
		rep.Tasks = append(rep.Tasks, t)
		return t
	}
	for i := range p.Tasks {
		for j := range p.Tasks[i].Steps {
			written[p.Tasks[i].Steps[j].Address] = &p.Tasks[i].Steps[j]
		}
	}
	for _, s := range r.Steps {
		t := tasks[s.Task]
		if t == nil {
			t = add(s.Task)
		}
		made := newStep(r, written[s.Address], s)
		made.of = rep
		t.Steps = append(t.Steps, made)
		rep.steps = append(rep.steps, made)
	}
	for i := range p.Tasks {
		t := tasks[p.Tasks[i].ID]
		if t == nil {
			t = add(p.Tasks[i].ID)
		}
		t.describe(&p.Tasks[i])
	}
	for _, t := range rep.Tasks {
		t.sum(r)
		if over := r.Flow.Task(t.ID); over != nil {
			t.Status = string(over.Status) // what the journal says of it
		}
	}
	rep.relate(p, tasks)
}

func (t *task) describe(in *plan.Task) {
	t.Title, t.DependsOn, t.Estimate = in.Title, list(slices.Clone(in.DependsOn)), span(in.Estimate)
	if t.Title == "" {
		t.Title = in.Description
	}
}

// relate notes the speclets of the tasks, and the arrows between tasks: a task
// depends on its own dependencies, and on all tasks of the speclets that its
// speclet depends on.
func (rep *Model) relate(p *plan.Plan, tasks map[string]*task) {
	members := make(map[string][]string)
	for _, s := range p.Speclets {
		members[s.ID] = s.Tasks
		for _, id := range s.Tasks {
			if t := tasks[id]; t != nil && t.Speclet == "" {
				t.Speclet = s.ID
			}
		}
	}
	for _, s := range p.Speclets {
		for _, id := range s.Tasks {
			for _, before := range s.DependsOn {
				for _, other := range members[before] {
					rep.arrow(tasks, other, id)
				}
			}
		}
	}
	for _, t := range rep.Tasks {
		for _, other := range t.DependsOn {
			rep.arrow(tasks, other, t.ID)
		}
	}
}

func (rep *Model) arrow(tasks map[string]*task, from, to string) {
	if tasks[from] != nil && tasks[to] != nil && from != to {
		rep.edges = append(rep.edges, [2]string{from, to})
	}
}

// sum derives what a task is from its steps.
func (t *task) sum(r *history.Run) {
	n := make(map[history.StepStatus]int)
	for _, s := range t.Steps {
		n[s.Status]++
		if !s.Started.IsZero() && (t.Started.IsZero() || s.Started.Before(t.Started.Time)) {
			t.Started = s.Started
		}
		if s.Ended.After(t.Ended.Time) {
			t.Ended = s.Ended
		}
	}
	open := n[history.Pending] + n[history.InFlight]
	done := n[history.Completed]
	switch {
	case n[history.Failed] > 0:
		t.Status = "failed"
	case n[history.Blocked] > 0:
		t.Status = "blocked"
	case len(t.Steps) > 0 && n[history.Skipped] == len(t.Steps):
		t.Status = "skipped"
	case open == 0 && done > 0:
		t.Status = "completed"
	case open < len(t.Steps) && r.Ended != nil:
		t.Status = "partial"
	case open < len(t.Steps) || n[history.InFlight] > 0:
		t.Status = "running"
	}
	if open > 0 {
		t.Ended = stamp{}
	}
	t.Duration = atWork(r, t.Started, t.Ended)
}
