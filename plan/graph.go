package plan

import (
	"slices"

	"github.com/planlock/planlock/plan/internal/network"
)

// A Graph is the order of the work.
type Graph struct {
	// Stages by dependencies alone: of speclets where the plan has them, else
	// of tasks. What is in a cycle, or depends on one, is in no stage.
	Stages [][]string
	// Order is every step in the order of execution.
	Order []Address
	// Cycles found, each in full, its first id repeated at the end.
	Cycles [][]string
}

// Graph orders the plan: dependencies first, else as declared. Dependencies on
// what is not there are left out; Check reports them.
func (p *Plan) Graph() *Graph {
	g, found := p.order()
	g.Cycles = slices.Concat(found.tasks, found.speclets, found.joint)
	return g
}

// cycles are those of tasks, of speclets, and, where neither has any, of both
// together.
type cycles struct{ tasks, speclets, joint [][]string }

// order makes a graph without its cycles, and finds those.
func (p *Plan) order() (*Graph, cycles) {
	g := &Graph{}
	tasks := p.taskGraph()
	found := cycles{tasks: tasks.Cycles()}
	if p.Speclets == nil {
		g.Stages = tasks.Stages()
	} else {
		speclets := p.specletGraph()
		found.speclets = speclets.Cycles()
		g.Stages = speclets.Stages()
		tasks = p.jointGraph(tasks)
		if len(found.tasks)+len(found.speclets) == 0 {
			found.joint = tasks.Cycles()
		}
	}
	for _, i := range tasks.Order() {
		if i >= len(p.Tasks) {
			continue
		}
		for _, s := range p.Tasks[i].Steps {
			g.Order = append(g.Order, s.Address)
		}
	}
	return g, found
}

// taskGraph has a node for each task, also for those with one id; the first of
// them is depended on.
func (p *Plan) taskGraph() *network.Graph {
	g, at := network.New(len(p.Tasks)), indexTasks(p)
	for i, t := range p.Tasks {
		g.Names[i] = t.ID
		for _, id := range t.DependsOn {
			if j, ok := at[id]; ok {
				g.Needs[i] = append(g.Needs[i], j)
			}
		}
	}
	return g
}

// specletGraph has a node for each speclet.
func (p *Plan) specletGraph() *network.Graph {
	g, at := network.New(len(p.Speclets)), indexSpeclets(p)
	for i, s := range p.Speclets {
		g.Names[i] = s.ID
		for _, id := range s.DependsOn {
			if j, ok := at[id]; ok {
				g.Needs[i] = append(g.Needs[i], j)
			}
		}
	}
	return g
}

// jointGraph adds to the tasks, for every speclet, a node that comes before its
// tasks and one that comes after, so that a speclet waits for all of another's
// tasks at the cost of one edge.
func (p *Plan) jointGraph(tasks *network.Graph) *network.Graph {
	n, speclets := len(p.Tasks), p.specletGraph()
	g := &network.Graph{Names: slices.Clone(tasks.Names), Real: n}
	for _, needs := range tasks.Needs {
		g.Needs = append(g.Needs, slices.Clone(needs))
	}
	at := indexTasks(p)
	for i, s := range p.Speclets {
		begin, end := n+2*i, n+2*i+1
		g.Names = append(g.Names, "speclet "+s.ID, "speclet "+s.ID)
		var before []int
		for _, j := range speclets.Needs[i] {
			before = append(before, n+2*j+1)
		}
		g.Needs = append(g.Needs, before, []int{begin})
		for _, id := range s.Tasks {
			if t, ok := at[id]; ok {
				g.Needs[t] = append(g.Needs[t], begin)
				g.Needs[end] = append(g.Needs[end], t)
			}
		}
	}
	return g
}

// indexTasks finds tasks by id; of several with one id it has the first.
func indexTasks(p *Plan) map[string]int {
	at := make(map[string]int, len(p.Tasks))
	for i, t := range p.Tasks {
		if _, ok := at[t.ID]; !ok {
			at[t.ID] = i
		}
	}
	return at
}

// indexSpeclets finds speclets by id; of several with one id it has the first.
func indexSpeclets(p *Plan) map[string]int {
	at := make(map[string]int, len(p.Speclets))
	for i, s := range p.Speclets {
		if _, ok := at[s.ID]; !ok {
			at[s.ID] = i
		}
	}
	return at
}

// Step finds a step and its task; both are the plan's own.
func (p *Plan) Step(a Address) (*Task, *Step, bool) {
	for t, s := range p.Steps() {
		if s.Address == a {
			return t, s, true
		}
	}
	return nil, nil, false
}
