package plan

import (
	"container/heap"
	"slices"
)

// A Graph is the order of the work.
type Graph struct {
	// Stages by dependencies alone: of speclets where the plan has them, else of tasks.
	// What is in a cycle, or depends on one, is in no stage.
	Stages [][]string
	// Order is every step in the order of execution.
	Order []Address
	// Cycles found, each in full, its first id repeated at the end.
	Cycles [][]string
}

// Graph orders the plan: dependencies first, else as declared. Dependencies on what is
// not there are left out; Check reports them.
func (p *Plan) Graph() *Graph {
	g := &Graph{}
	tasks := p.taskGraph()
	g.Cycles = tasks.cycles()
	if p.Speclets == nil {
		g.Stages = tasks.stages()
	} else {
		speclets := p.specletGraph()
		g.Cycles = append(g.Cycles, speclets.cycles()...)
		g.Stages = speclets.stages()
		joint := p.jointGraph(tasks)
		if len(g.Cycles) == 0 {
			g.Cycles = joint.cycles()
		}
		tasks = joint
	}
	for _, i := range tasks.order() {
		if i >= len(p.Tasks) {
			continue
		}
		for _, s := range p.Tasks[i].Steps {
			g.Order = append(g.Order, s.Address)
		}
	}
	return g
}

// A network is a directed graph; nodes are numbered as declared.
type network struct {
	names []string
	needs [][]int // what comes before each node
	real  int     // nodes below it are tasks or speclets, the rest only joins them
}

func newNetwork(n int) *network {
	return &network{names: make([]string, n), needs: make([][]int, n), real: n}
}

func (p *Plan) taskGraph() *network {
	g, at := newNetwork(len(p.Tasks)), indexTasks(p)
	for i, t := range p.Tasks {
		g.names[i] = t.ID
		for _, id := range t.DependsOn {
			if j, ok := at[id]; ok {
				g.needs[i] = append(g.needs[i], j)
			}
		}
	}
	return g
}

func (p *Plan) specletGraph() *network {
	g, at := newNetwork(len(p.Speclets)), indexSpeclets(p)
	for i, s := range p.Speclets {
		g.names[i] = s.ID
		for _, id := range s.DependsOn {
			if j, ok := at[id]; ok {
				g.needs[i] = append(g.needs[i], j)
			}
		}
	}
	return g
}

// jointGraph adds to the tasks, for every speclet, a node that comes before its tasks and one that comes
// after, so that a speclet waits for all of another's tasks at the cost of one edge.
func (p *Plan) jointGraph(tasks *network) *network {
	n, speclets := len(p.Tasks), p.specletGraph()
	g := &network{names: slices.Clone(tasks.names), real: n}
	for _, needs := range tasks.needs {
		g.needs = append(g.needs, slices.Clone(needs))
	}
	at := indexTasks(p)
	for i, s := range p.Speclets {
		begin, end := n+2*i, n+2*i+1
		g.names = append(g.names, "speclet "+s.ID, "speclet "+s.ID)
		var before []int
		for _, j := range speclets.needs[i] {
			before = append(before, n+2*j+1)
		}
		g.needs = append(g.needs, before, []int{begin})
		for _, id := range s.Tasks {
			if t, ok := at[id]; ok {
				g.needs[t] = append(g.needs[t], begin)
				g.needs[end] = append(g.needs[end], t)
			}
		}
	}
	return g
}

func indexTasks(p *Plan) map[string]int {
	at := make(map[string]int, len(p.Tasks))
	for i, t := range p.Tasks {
		if _, ok := at[t.ID]; !ok {
			at[t.ID] = i
		}
	}
	return at
}

func indexSpeclets(p *Plan) map[string]int {
	at := make(map[string]int, len(p.Speclets))
	for i, s := range p.Speclets {
		if _, ok := at[s.ID]; !ok {
			at[s.ID] = i
		}
	}
	return at
}

// dependents turns the edges round, and counts how many each node waits for.
func (g *network) dependents() (next [][]int, waits []int) {
	next, waits = make([][]int, len(g.needs)), make([]int, len(g.needs))
	for i, needs := range g.needs {
		waits[i] = len(needs)
		for _, j := range needs {
			next[j] = append(next[j], i)
		}
	}
	return next, waits
}

// order lists the nodes, dependencies first, else as numbered. What only joins others comes as soon as
// it can. Nodes of cycles, and behind them, are left out.
func (g *network) order() []int {
	next, waits := g.dependents()
	var ready numbers
	var joins, order []int
	free := func(i int) {
		if i >= g.real {
			joins = append(joins, i)
		} else {
			heap.Push(&ready, i)
		}
	}
	for i, n := range waits {
		if n == 0 {
			free(i)
		}
	}
	for len(joins) > 0 || len(ready) > 0 {
		var i int
		if last := len(joins) - 1; last >= 0 {
			i, joins = joins[last], joins[:last]
		} else {
			i = heap.Pop(&ready).(int)
		}
		order = append(order, i)
		for _, j := range next[i] {
			if waits[j]--; waits[j] == 0 {
				free(j)
			}
		}
	}
	return order
}

// stages groups the nodes by the length of the longest way to them.
func (g *network) stages() [][]string {
	level := make([]int, len(g.needs))
	order := g.order()
	deepest := -1
	for _, i := range order {
		for _, j := range g.needs[i] {
			level[i] = max(level[i], level[j]+1)
		}
		deepest = max(deepest, level[i])
	}
	slices.Sort(order)
	stages := make([][]string, deepest+1)
	for _, i := range order {
		stages[level[i]] = append(stages[level[i]], g.names[i])
	}
	return stages
}

// numbers is a heap of integers, the smallest first.
type numbers []int

func (n numbers) Len() int           { return len(n) }
func (n numbers) Less(i, j int) bool { return n[i] < n[j] }
func (n numbers) Swap(i, j int)      { n[i], n[j] = n[j], n[i] }
func (n *numbers) Push(x any)        { *n = append(*n, x.(int)) }
func (n *numbers) Pop() any {
	last := len(*n) - 1
	x := (*n)[last]
	*n = (*n)[:last]
	return x
}

// Step finds a step and its task; both are the plan's own.
func (p *Plan) Step(a Address) (*Task, *Step, bool) {
	for i := range p.Tasks {
		t := &p.Tasks[i]
		for j := range t.Steps {
			if t.Steps[j].Address == a {
				return t, &t.Steps[j], true
			}
		}
	}
	return nil, nil, false
}
