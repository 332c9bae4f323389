package plan

import (
	"cmp"
	"slices"
	"strconv"

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

// none reports whether there are none.
func (c cycles) none() bool { return len(c.tasks)+len(c.speclets)+len(c.joint) == 0 }

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
	g.Order = p.stepsOf(tasks.Order())
	return g, found
}

// stepsOf are the steps of tasks, by the places of these; places behind the last
// task only join others.
func (p *Plan) stepsOf(tasks []int) (order []Address) {
	for _, i := range tasks {
		if i >= len(p.Tasks) {
			continue
		}
		for _, s := range p.Tasks[i].Steps {
			order = append(order, s.Address)
		}
	}
	return order
}

// Sequence is every step of a plan of a format in the order of execution: tasks
// after what they depend on, and among those that are ready as declared. The
// speclets of a SPEC pair come stage by stage, and its tasks by their numbers. Of
// a list of pending actions, which has no order of its own, the urgent ones come
// first. Steps of a task follow each other.
func (p *Plan) Sequence(format Format) []Address {
	switch {
	case format == SpecPair:
		return p.ByStage()
	case format == PendingActions && len(p.Speclets) == 0:
		return p.stepsOf(p.ByUrgency())
	}
	return p.Graph().Order
}

// TasksInOrder lists the indexes of the tasks in the order in which steps are
// carried out; those that have none come last.
func (p *Plan) TasksInOrder(steps []Address) []int {
	at := map[Address]int{}
	for i := range slices.Backward(p.Tasks) {
		for _, s := range p.Tasks[i].Steps {
			at[s.Address] = i // of several with one address, the first
		}
	}
	seen := make([]bool, len(p.Tasks))
	var order []int
	add := func(i int) {
		if !seen[i] {
			seen[i] = true
			order = append(order, i)
		}
	}
	for _, a := range steps {
		add(at[a])
	}
	for i := range p.Tasks {
		add(i)
	}
	return order
}

// ByStage is every step in the order of execution of a SPEC pair: dependencies
// first, then what is in an earlier stage of the speclets, then by the numbers
// of the tasks where all have one, else as declared.
func (p *Plan) ByStage() []Address {
	tasks, place := p.taskGraph(), p.byNumber()
	stage := make([]int, len(p.Tasks))
	if p.Speclets != nil {
		at, speclets := indexOf(p.Tasks, taskID), indexOf(p.Speclets, func(s *Speclet) string { return s.ID })
		for n, ids := range p.specletGraph().Stages() {
			for _, id := range ids {
				for _, task := range p.Speclets[speclets[id]].Tasks {
					if t, ok := at[task]; ok {
						stage[t] = n
					}
				}
			}
		}
		tasks = p.jointGraph(tasks)
	}
	return p.stepsOf(tasks.OrderBy(func(i int) int { return stage[i]*len(p.Tasks) + place[i] }))
}

// byNumber is the place of each task among all by the numbers that their ids
// are; all are at the same where some id is no number.
func (p *Plan) byNumber() []int {
	place, number := make([]int, len(p.Tasks)), make([]int, len(p.Tasks))
	order := make([]int, len(p.Tasks))
	for i := range p.Tasks {
		n, err := strconv.Atoi(p.Tasks[i].ID)
		if err != nil {
			return place
		}
		number[i], order[i] = n, i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(number[a], number[b]) })
	for at, i := range order {
		place[i] = at
	}
	return place
}

// taskGraph has a node for each task, also for those with one id; the first of
// them is depended on.
func (p *Plan) taskGraph() *network.Graph {
	return graphOf(p.Tasks, func(t *Task) (id string, needs []string) { return t.ID, t.DependsOn })
}

// specletGraph has a node for each speclet.
func (p *Plan) specletGraph() *network.Graph {
	return graphOf(p.Speclets, func(s *Speclet) (id string, needs []string) { return s.ID, s.DependsOn })
}

// graphOf has a node for each item of a list, in its order. Needs that are not
// there are left out.
func graphOf[T any](list []T, of func(*T) (id string, needs []string)) *network.Graph {
	g := network.New(len(list))
	at := indexOf(list, func(item *T) string { id, _ := of(item); return id })
	for i := range list {
		id, needs := of(&list[i])
		g.Names[i] = id
		for _, need := range needs {
			if j, ok := at[need]; ok {
				g.Needs[i] = append(g.Needs[i], j)
			}
		}
	}
	return g
}

// indexOf finds the items of a list by id; of several with one id it has the
// first.
func indexOf[T any](list []T, id func(*T) string) map[string]int {
	at := make(map[string]int, len(list))
	for i := range list {
		if _, ok := at[id(&list[i])]; !ok {
			at[id(&list[i])] = i
		}
	}
	return at
}

func taskID(t *Task) string       { return t.ID }
func specletID(s *Speclet) string { return s.ID }

// jointGraph adds to the tasks, for every speclet, a node that comes before its
// tasks and one that comes after, so that a speclet waits for all of another's
// tasks at the cost of one edge.
func (p *Plan) jointGraph(tasks *network.Graph) *network.Graph {
	n, speclets := len(p.Tasks), p.specletGraph()
	g := &network.Graph{Names: slices.Clone(tasks.Names), Real: n}
	for _, needs := range tasks.Needs {
		g.Needs = append(g.Needs, slices.Clone(needs))
	}
	at := indexOf(p.Tasks, taskID)
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

// Step finds a step and its task; both are the plan's own.
func (p *Plan) Step(a Address) (*Task, *Step, bool) {
	for t, s := range p.Steps() {
		if s.Address == a {
			return t, s, true
		}
	}
	return nil, nil, false
}
