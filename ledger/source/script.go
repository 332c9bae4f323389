package source

import "bytes"

// A script says which lines of one text were removed, and which of another were
// added, to make the first into the second. The lines that are in neither list
// are the same, in the same order.
type script struct {
	removed, added []bool // by line
}

// maxSteps bounds the work of finding the shortest script. A stretch that would
// need more is taken as replaced, so that counts are never too small.
const maxSteps = 32 << 20

// splitLines cuts a text after each newline.
func splitLines(text []byte) [][]byte {
	lines := make([][]byte, 0, bytes.Count(text, []byte{'\n'})+1)
	for len(text) > 0 {
		n := bytes.IndexByte(text, '\n') + 1
		if n == 0 {
			n = len(text)
		}
		lines = append(lines, text[:n:n])
		text = text[n:]
	}
	return lines
}

// compare finds a shortest script from a to b, or a longer one where that would
// take more than maxSteps. The same texts always give the same script.
func compare(a, b [][]byte) script {
	s := script{removed: make([]bool, len(a)), added: make([]bool, len(b))}
	prefix := 0
	for prefix < len(a) && prefix < len(b) && bytes.Equal(a[prefix], b[prefix]) {
		prefix++
	}
	endA, endB := len(a), len(b)
	for endA > prefix && endB > prefix && bytes.Equal(a[endA-1], b[endB-1]) {
		endA--
		endB--
	}
	x, y := number(a[prefix:endA], b[prefix:endB])
	m := matching{script: s, budget: maxSteps}
	// A line that the other text does not have is in no common subsequence.
	m.a, m.atA = shared(x, y, s.removed, prefix)
	m.b, m.atB = shared(y, x, s.added, prefix)
	m.between(0, len(m.a), 0, len(m.b))
	return s
}

// number gives equal lines equal numbers.
func number(a, b [][]byte) (x, y []int) {
	numbers := make(map[string]int, len(a))
	assign := func(lines [][]byte) []int {
		out := make([]int, len(lines))
		for i, line := range lines {
			n, ok := numbers[string(line)]
			if !ok {
				n = len(numbers)
				numbers[string(line)] = n
			}
			out[i] = n
		}
		return out
	}
	return assign(a), assign(b)
}

// shared are the lines of x that y has too, and where they stand; all others
// are marked.
func shared(x, y []int, marked []bool, offset int) (lines, at []int) {
	has := make(map[int]bool, len(y))
	for _, n := range y {
		has[n] = true
	}
	for i, n := range x {
		if has[n] {
			lines, at = append(lines, n), append(at, offset+i)
		} else {
			marked[offset+i] = true
		}
	}
	return lines, at
}

// matching finds a shortest script with Myers' search from both ends, in
// space that grows with the length of the texts only.
type matching struct {
	script
	a, b     []int // lines as numbers
	atA, atB []int // where they stand in the texts
	forward  []int
	backward []int
	budget   int
}

// between marks what differs between a[a0:a1] and b[b0:b1]. It goes into the
// shorter of two halves by itself and on with the other, so that it never nests
// deeper than the logarithm of their length.
func (m *matching) between(a0, a1, b0, b1 int) {
	for {
		for a0 < a1 && b0 < b1 && m.a[a0] == m.b[b0] {
			a0++
			b0++
		}
		for a0 < a1 && b0 < b1 && m.a[a1-1] == m.b[b1-1] {
			a1--
			b1--
		}
		if a0 == a1 || b0 == b1 {
			m.replace(a0, a1, b0, b1)
			return
		}
		x, y, ok := m.middle(a0, a1, b0, b1)
		if !ok {
			m.replace(a0, a1, b0, b1)
			return
		}
		if x-a0+y-b0 < a1-x+b1-y {
			m.between(a0, x, b0, y)
			a0, b0 = x, y
		} else {
			m.between(x, a1, y, b1)
			a1, b1 = x, y
		}
	}
}

// replace marks lines of both texts that have nothing in common.
func (m *matching) replace(a0, a1, b0, b1 int) {
	for i := a0; i < a1; i++ {
		m.removed[m.atA[i]] = true
	}
	for j := b0; j < b1; j++ {
		m.added[m.atB[j]] = true
	}
}

// middle finds a point that a shortest script goes through, other than the two
// corners. Neither side is empty, and they differ in their first and in their
// last line.
//
// Diagonal k holds the points with x-y = k, counted from the corner that a
// search starts at; forward and backward hold how far the searches have come on
// each.
func (m *matching) middle(a0, a1, b0, b1 int) (x, y int, ok bool) {
	n, l := a1-a0, b1-b0
	half := (n + l + 1) / 2
	size := 2*half + 2
	if cap(m.forward) < size {
		m.forward, m.backward = make([]int, size), make([]int, size)
	}
	fw, bw := m.forward[:size], m.backward[:size]
	fw[half+1], bw[half+1] = 0, 0
	delta := n - l
	for d := 0; d <= half; d++ {
		for k := -d + 2*max(0, d-l); k <= d-2*max(0, d-n); k += 2 {
			x := step(fw, half, k, d)
			for x < n && x-k < l && m.a[a0+x] == m.b[b0+x-k] {
				x++
				m.budget--
			}
			fw[half+k] = x
			if r := delta - k; delta%2 != 0 && r >= -(d-1) && r <= d-1 && x+bw[half+r] >= n {
				return a0 + x, b0 + x - k, true
			}
		}
		for k := -d + 2*max(0, d-l); k <= d-2*max(0, d-n); k += 2 {
			x := step(bw, half, k, d)
			for x < n && x-k < l && m.a[a1-1-x] == m.b[b1-1-x+k] {
				x++
				m.budget--
			}
			bw[half+k] = x
			if f := delta - k; delta%2 == 0 && f >= -d && f <= d && x+fw[half+f] >= n {
				return a1 - x, b1 - x + k, true
			}
		}
		if m.budget -= 2*d + 1; m.budget < 0 {
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// step is the farthest point on diagonal k that one more line than before leads
// to.
func step(reach []int, origin, k, d int) int {
	if k == -d || k != d && reach[origin+k-1] < reach[origin+k+1] {
		return reach[origin+k+1]
	}
	return reach[origin+k-1] + 1
}
