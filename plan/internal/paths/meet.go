package paths

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/planlock/planlock/ledger"
)

// Meet reports whether some path may be meant by both of two patterns, or one
// of them names a folder that the other lies in. It is wrong in one direction
// only: where it says no, there is no such path, also on file systems that tell
// names apart by less than their bytes. A class of characters counts as any
// character. Both are patterns that [ledger.CheckPattern] takes.
func Meet(p, q string) bool {
	if meet(p, q) {
		return true
	}
	f, g := Fold(p), Fold(q)
	return (f != p || g != q) && meet(f, g)
}

// meet is Meet for names that differ where their bytes do.
func meet(p, q string) bool {
	switch {
	case p == q || within(p, q) || within(q, p):
		return true
	case !ledger.IsGlob(p) && !ledger.IsGlob(q):
		return false
	case ledger.Match(p, q) || ledger.Match(q, p): // one as a path, which may look like a glob
		return true
	}
	left, ok := choices(p)
	right, also := choices(q)
	if !ok || !also || len(left)*len(right) > maxChoices {
		return true
	}
	for _, x := range left {
		for _, y := range right {
			if namesMeet(split(x), split(y)) {
				return true
			}
		}
	}
	return false
}

// within reports whether all that q stands for lies below the path p.
func within(q, p string) bool { return strings.HasPrefix(q, p+"/") }

// maxChoices bounds the pairs of globs that two patterns with choices come to.
const maxChoices = 4096

// choices are the globs without {a,b} that a pattern stands for; false where it
// cannot be taken apart.
func choices(pattern string) (list []string, ok bool) {
	open := []string{pattern}
	for len(open) > 0 {
		glob := open[len(open)-1]
		open = open[:len(open)-1]
		begin, end, parts := choice(glob)
		switch {
		case begin < 0:
			list = append(list, glob)
		case end < 0 || len(open)+len(list)+len(parts) > maxChoices:
			return nil, false
		}
		for _, part := range parts {
			open = append(open, glob[:begin]+part+glob[end+1:])
		}
	}
	return list, true
}

// choice finds the first {a,b} of a glob, and what there is to choose from.
// Either end is -1 where it is not there.
func choice(glob string) (begin, end int, parts []string) {
	begin, depth, from := -1, 0, 0
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case c == '[':
			last := classEnd(glob, i)
			if last < 0 {
				return begin, -1, nil
			}
			i = last
		case c == '{':
			if depth++; begin < 0 {
				begin, from = i, i+1
			}
		case c == ',' && depth == 1:
			parts, from = append(parts, glob[from:i]), i+1
		case c == '}' && depth > 0:
			if depth--; depth == 0 {
				return begin, i, append(parts, glob[from:i])
			}
		}
	}
	return begin, -1, nil
}

// classEnd is where the class that begins at i ends; -1 where it is left open.
func classEnd(glob string, i int) int {
	for i++; i < len(glob) && (glob[i] == '^' || glob[i] == '!'); i++ {
	}
	if end := strings.IndexByte(glob[min(i+1, len(glob)):], ']'); end >= 0 {
		return i + 1 + end
	}
	return -1
}

// crosses reports whether a class can stand for the slash between two names.
func crosses(class string) bool {
	ends := class[:1] == "^" || class[:1] == "!" || strings.Contains(class, "/")
	for i := 1; i+1 < len(class); i++ {
		ends = ends || class[i] == '-' && class[i-1] < '/'
	}
	return ends
}

// A letter of a name in a glob: a character, or one of the two below.
type letter rune

const (
	some letter = -1 // any character
	run  letter = -2 // any characters, or none
)

// split takes a glob apart into names, each as its letters. A name of nil
// stands for any names, or none; so does all that follows where a class can
// stand for a slash.
func split(glob string) [][]letter {
	var names [][]letter
	name, whole := []letter{}, 0
	end := func(at int) {
		if text := glob[whole:at]; text == "**" || text == "" { // an empty one comes of a choice with slashes
			name = nil
		}
		names, name, whole = append(names, name), []letter{}, at+1
	}
	for i := 0; i < len(glob); {
		r, size := utf8.DecodeRuneInString(glob[i:])
		switch r {
		case '/':
			end(i)
		case '*':
			name = append(name, run)
		case '?':
			name = append(name, some)
		case '[':
			last := classEnd(glob, i)
			if last < 0 || crosses(glob[i+1:last]) {
				return append(names, nil)
			}
			name, size = append(name, some), last+1-i
		default:
			name = append(name, letter(r))
		}
		i += size
	}
	end(len(glob))
	return names
}

// namesMeet reports whether two lists of names can stand for one path.
func namesMeet(p, q [][]letter) bool {
	return together(len(p), len(q), func(i int) bool { return p[i] == nil }, func(j int) bool { return q[j] == nil },
		func(i, j int) bool { return lettersMeet(p[i], q[j]) })
}

// lettersMeet reports whether two lists of letters can stand for one name.
func lettersMeet(p, q []letter) bool {
	if len(p)*len(q) > 1<<20 {
		return true // nobody writes such names
	}
	if !slices.Contains(p, run) && !slices.Contains(q, run) && len(p) != len(q) {
		return false
	}
	return together(len(p), len(q), func(i int) bool { return p[i] == run }, func(j int) bool { return q[j] == run },
		func(i, j int) bool { return p[i] == q[j] || p[i] == some || q[j] == some })
}

// together reports whether two rows can be brought in line, item for item. An
// item that is wide stands for any number of items of the other row, and none.
// It goes through the row of p once, and keeps which ends in q can be reached.
func together(n, m int, wideP, wideQ func(int) bool, same func(i, j int) bool) bool {
	reached := make([]bool, m+1)
	reached[0] = true
	for j := 0; j < m && wideQ(j); j++ {
		reached[j+1] = true
	}
	for i := range n {
		next, wide := make([]bool, m+1), wideP(i)
		next[0] = wide && reached[0]
		for j := range m {
			next[j+1] = wide && (reached[j+1] || next[j]) || // nothing of q, or its j-th item besides others
				wideQ(j) && (next[j] || reached[j+1]) ||
				!wide && !wideQ(j) && reached[j] && same(i, j)
		}
		reached = next
	}
	return reached[m]
}
