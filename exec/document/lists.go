package document

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
)

// compare orders texts by their bytes.
func compare(a, b string) int { return cmp.Compare(a, b) }

// each makes a list of another.
func each[A, B any](from []A, f func(A) B) []B {
	to := make([]B, 0, len(from))
	for _, a := range from {
		to = append(to, f(a))
	}
	return to
}

// list is s, but never nil: an empty list in JSON is [].
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// only are the elements of a list that are so.
func only[T any](list []T, is func(T) bool) []T {
	var some []T
	for _, v := range list {
		if is(v) {
			some = append(some, v)
		}
	}
	return some
}

// orElse is a text, or another where there is none.
func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// join puts parts into one line.
func join(parts []string) string { return strings.Join(parts, ", ") }

// tail is the last n lines of a text.
func tail(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// length is the number of elements of a list.
func length(list any) int { return reflect.ValueOf(list).Len() }

// count writes a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// stages orders ids by their longest way from a beginning, along edges that
// lead from what comes first to what depends on it; ids keep their order within
// a stage. What hangs on a cycle stands in the last stage.
func stages(ids []string, edges [][2]string) [][]string {
	level := make(map[string]int, len(ids))
	waits := make(map[string]int, len(ids))
	after := make(map[string][]string)
	for _, id := range ids {
		waits[id] = 0
	}
	for _, e := range edges {
		_, from := waits[e[0]]
		_, to := waits[e[1]]
		if from && to {
			waits[e[1]]++
			after[e[0]] = append(after[e[0]], e[1])
		}
	}
	var queue []string
	for _, id := range ids {
		if waits[id] == 0 {
			queue = append(queue, id)
			waits[id] = -1 // queued, also where an id is doubled
		}
	}
	last := 0
	for n := 0; n < len(queue); n++ {
		id := queue[n]
		last = max(last, level[id])
		for _, next := range after[id] {
			level[next] = max(level[next], level[id]+1)
			if waits[next]--; waits[next] == 0 {
				queue = append(queue, next)
				waits[next] = -1
			}
		}
	}
	return byLevel(ids, func(id string) int {
		if waits[id] > 0 {
			return last + 1
		}
		return level[id]
	})
}

// byLevel groups ids by their level, in the order in which they are given; a
// doubled id counts once.
func byLevel(ids []string, level func(string) int) [][]string {
	var out [][]string
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		for len(out) <= level(id) {
			out = append(out, nil)
		}
		out[level(id)] = append(out[level(id)], id)
	}
	return out
}
