package flow

import (
	"container/heap"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
)

// Order is every step of a plan in the order of execution: tasks after what
// they depend on, and among those that are ready as declared. Of a list of
// pending actions, which has no order of its own, those of priority HIGH come
// first, then MEDIUM, then LOW. Steps of a task follow each other. What is in a
// cycle is left out; no locked plan has one.
func Order(p *plan.Plan, format plan.Format) []plan.Address {
	graph := p.Graph()
	if format != plan.PendingActions || len(p.Speclets) > 0 {
		return graph.Order
	}
	at := map[string]int{}
	for i := range p.Tasks {
		at[p.Tasks[i].ID] = i
	}
	ready := &queue{tasks: p.Tasks}
	waits := make([]int, len(p.Tasks))
	next := make([][]int, len(p.Tasks))
	for i := range p.Tasks {
		for _, id := range p.Tasks[i].DependsOn {
			if j, ok := at[id]; ok {
				waits[i]++
				next[j] = append(next[j], i)
			}
		}
		if waits[i] == 0 {
			heap.Push(ready, i)
		}
	}
	var order []plan.Address
	for ready.Len() > 0 {
		i := heap.Pop(ready).(int)
		for _, s := range p.Tasks[i].Steps {
			order = append(order, s.Address)
		}
		for _, j := range next[i] {
			if waits[j]--; waits[j] == 0 {
				heap.Push(ready, j)
			}
		}
	}
	return order
}

// rank is where a priority stands: HIGH, MEDIUM, LOW, then all else.
func rank(priority string) int {
	known := []string{"HIGH", "MEDIUM", "LOW"}
	if n := slices.Index(known, strings.ToUpper(strings.TrimSpace(priority))); n >= 0 {
		return n
	}
	return len(known)
}

// A queue is a heap of tasks that are ready, the most urgent first, else as
// declared.
type queue struct {
	tasks []plan.Task
	ready []int
}

func (q *queue) Len() int { return len(q.ready) }

func (q *queue) Less(i, j int) bool {
	a, b := q.ready[i], q.ready[j]
	if x, y := rank(q.tasks[a].Priority), rank(q.tasks[b].Priority); x != y {
		return x < y
	}
	return a < b
}

func (q *queue) Swap(i, j int) { q.ready[i], q.ready[j] = q.ready[j], q.ready[i] }
func (q *queue) Push(x any)    { q.ready = append(q.ready, x.(int)) }

func (q *queue) Pop() any {
	last := len(q.ready) - 1
	x := q.ready[last]
	q.ready = q.ready[:last]
	return x
}
