// Package network orders what depends on each other, and finds cycles.
package network

import (
	"container/heap"
	"slices"
)

// A Graph is a directed graph; nodes are numbered as declared. It has at most
// as many edges as a plan has references, and all that is asked of it takes
// time in proportion to both.
type Graph struct {
	Names []string
	Needs [][]int // what comes before each node
	Real  int     // nodes below it are tasks or speclets, the rest only joins them
}

// New makes a graph of n nodes.
func New(n int) *Graph {
	return &Graph{Names: make([]string, n), Needs: make([][]int, n), Real: n}
}

// dependents turns the edges round, and counts how many each node waits for.
// An edge that stands twice counts twice, on both sides.
func (g *Graph) dependents() (next [][]int, waits []int) {
	next, waits = make([][]int, len(g.Needs)), make([]int, len(g.Needs))
	for i, needs := range g.Needs {
		waits[i] = len(needs)
		for _, j := range needs {
			next[j] = append(next[j], i)
		}
	}
	return next, waits
}

// Order lists the nodes, dependencies first, else as numbered. What only joins
// others comes as soon as it can. Nodes of cycles, and behind them, are left
// out.
func (g *Graph) Order() []int { return g.OrderBy(func(int) int { return 0 }) }

// OrderBy is Order where, of the nodes that are ready, those of a lower rank come
// first. Ranks are not negative.
func (g *Graph) OrderBy(rank func(node int) int) []int {
	next, waits := g.dependents()
	var ready numbers
	var joins, order []int
	free := func(i int) {
		if i >= g.Real {
			joins = append(joins, i)
		} else {
			heap.Push(&ready, rank(i)*g.Real+i)
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
			i = heap.Pop(&ready).(int) % g.Real
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

// Stages groups the nodes by the length of the longest way to them: what is in
// a stage may be worked on once all before it are done. Nodes of cycles, and
// behind them, are in none.
func (g *Graph) Stages() [][]string {
	level := make([]int, len(g.Needs))
	order := g.Order()
	deepest := -1
	for _, i := range order {
		for _, j := range g.Needs[i] {
			level[i] = max(level[i], level[j]+1)
		}
		deepest = max(deepest, level[i])
	}
	slices.Sort(order)
	stages := make([][]string, deepest+1)
	for _, i := range order {
		stages[level[i]] = append(stages[level[i]], g.Names[i])
	}
	return stages
}

// numbers is a heap of integers, the smallest first.
type numbers []int

func (n numbers) Len() int           { return len(n) }
func (n numbers) Less(i, j int) bool { return n[i] < n[j] }
func (n numbers) Swap(i, j int)      { n[i], n[j] = n[j], n[i] }

// Push and Pop are for package heap alone.
func (n *numbers) Push(x any) { *n = append(*n, x.(int)) }
func (n *numbers) Pop() any {
	last := len(*n) - 1
	x := (*n)[last]
	*n = (*n)[:last]
	return x
}
