package network

import "slices"

// Cycles finds one cycle in every strongly connected part of the graph: a
// shortest one through the node that was declared first. It begins with that
// node and ends with it. Nothing here recurses, so a chain may be as long as it
// likes.
func (g *Graph) Cycles() [][]string {
	var found [][]string
	part := g.parts()
	size := map[int]int{}
	for _, p := range part {
		size[p]++
	}
	done := map[int]bool{}
	for i := range g.Needs {
		if p := part[i]; !done[p] && (size[p] > 1 || slices.Contains(g.Needs[i], i)) {
			done[p] = true
			found = append(found, g.shortest(i, part))
		}
	}
	return found
}

// shortest walks from start against its dependencies, within its part, until it
// is back.
func (g *Graph) shortest(start int, part []int) []string {
	from := map[int]int{}
	queue := []int{start}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		for _, j := range g.Needs[i] {
			if j == start {
				return g.path(start, i, from)
			}
			if _, seen := from[j]; !seen && part[j] == part[start] {
				from[j] = i
				queue = append(queue, j)
			}
		}
	}
	return nil
}

// path names the nodes from start along its dependencies to end, and start
// again.
func (g *Graph) path(start, end int, from map[int]int) []string {
	var path []string
	for i := end; i != start; i = from[i] {
		path = append(path, g.Names[i])
	}
	path = append(path, g.Names[start])
	slices.Reverse(path)
	return append(slices.Compact(path), g.Names[start]) // the two ends of a speclet are one name
}

// parts numbers the strongly connected parts, by Tarjan's algorithm with a
// stack of its own: a chain of a hundred thousand tasks must not grow the
// stack of the program.
func (g *Graph) parts() []int {
	n := len(g.Needs)
	part, seen, low := make([]int, n), make([]int, n), make([]int, n)
	open := make([]bool, n)
	var stack []int
	type frame struct{ node, edge int }
	var calls []frame
	count, parts := 0, 0
	visit := func(i int) {
		count++
		seen[i], low[i], open[i] = count, count, true
		stack = append(stack, i)
		calls = append(calls, frame{i, 0})
	}
	for root := range n {
		if seen[root] == 0 {
			visit(root)
		}
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			i := f.node
			if f.edge < len(g.Needs[i]) {
				j := g.Needs[i][f.edge]
				f.edge++
				if seen[j] == 0 {
					visit(j)
				} else if open[j] {
					low[i] = min(low[i], seen[j])
				}
				continue
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				up := calls[len(calls)-1].node
				low[up] = min(low[up], low[i])
			}
			if low[i] != seen[i] {
				continue
			}
			for {
				last := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				open[last], part[last] = false, parts
				if last == i {
					break
				}
			}
			parts++
		}
	}
	return part
}
