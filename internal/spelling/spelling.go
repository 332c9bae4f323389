// Package spelling spells names as they stand in a plan file, and finds the name
// that somebody meant who spelled it otherwise.
package spelling

// Nearest returns the name that takes the fewest edits from word, or "" if all
// are far.
func Nearest(word string, names []string) string { return Within(word, names, max(2, len(word)/3)) }

// Within returns the name that takes the fewest edits from word, and so many at
// most, or "".
func Within(word string, names []string, most int) string {
	if len(word) > 64 {
		return ""
	}
	best, fewest := "", most+1
	for _, name := range names {
		if n := edits(word, name); n < fewest {
			best, fewest = name, n
		}
	}
	return best
}

// edits counts the bytes to insert, delete, replace or swap with their
// neighbour from a to b. It takes the product of both lengths in time, which
// callers bound.
func edits(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
