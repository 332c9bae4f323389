package plan

import (
	"container/heap"
	"slices"
	"strings"
)

// ByUrgency are the tasks of a plan, by their places in it: each after those
// that it depends on, and of those that are ready the ones of priority HIGH
// first, then MEDIUM, then LOW, then all others, else as declared. What is in a
// cycle comes last. Lists of pending actions, which have no order of their own,
// are carried out so.
func (p *Plan) ByUrgency() []int {
	at := map[string]int{}
	for i := range p.Tasks {
		at[p.Tasks[i].ID] = i
	}
	ready := &urgent{tasks: p.Tasks}
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
	order := make([]int, 0, len(p.Tasks))
	for ready.Len() > 0 {
		i := heap.Pop(ready).(int)
		order = append(order, i)
		for _, j := range next[i] {
			if waits[j]--; waits[j] == 0 {
				heap.Push(ready, j)
			}
		}
	}
	for i, n := range waits {
		if n > 0 {
			order = append(order, i)
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

// An urgent is a heap of tasks that are ready, the most urgent first, else as
// declared.
type urgent struct {
	tasks []Task
	ready []int
}

func (q *urgent) Len() int { return len(q.ready) }

func (q *urgent) Less(i, j int) bool {
	a, b := q.ready[i], q.ready[j]
	if x, y := rank(q.tasks[a].Priority), rank(q.tasks[b].Priority); x != y {
		return x < y
	}
	return a < b
}

func (q *urgent) Swap(i, j int) { q.ready[i], q.ready[j] = q.ready[j], q.ready[i] }
func (q *urgent) Push(x any)    { q.ready = append(q.ready, x.(int)) }

func (q *urgent) Pop() any {
	last := len(q.ready) - 1
	x := q.ready[last]
	q.ready = q.ready[:last]
	return x
}
