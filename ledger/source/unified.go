package source

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// Unified is the textual difference of two contents of a path, in the form of
// diff -u: hunks with up to context unchanged lines around what changed. It is
// empty if the contents are the same, and one line that says so if either is
// binary. A nil content stands for a file that is not there.
//
// The lines are those of the contents, byte by byte: who shows them on a
// terminal has to escape them.
func Unified(path string, before, after []byte, context int) string {
	if bytes.Equal(before, after) && (before == nil) == (after == nil) {
		return ""
	}
	from, to := side("a/", path, before), side("b/", path, after)
	if isBinary(before) || isBinary(after) {
		return fmt.Sprintf("Binary files %s and %s differ\n", from, to)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", from, to)
	u := unified{a: splitLines(before), b: splitLines(after), context: max(0, context)}
	u.script = compare(u.a, u.b)
	for u.next() {
		u.write(&out)
	}
	return out.String()
}

// Added says of each line of after whether [Unified] marks it as added. A nil
// before is a file that was not there, all of whose lines are added.
func Added(before, after []byte) []bool { return compare(splitLines(before), splitLines(after)).added }

func side(prefix, path string, content []byte) string {
	if content == nil {
		return "/dev/null"
	}
	return ledger.Quote(prefix + path)
}

// unified goes over a script hunk by hunk.
type unified struct {
	script
	a, b    [][]byte
	context int

	i, j           int // how far the script was read
	a0, a1, b0, b1 int // the hunk
}

// same is the number of unchanged lines from i and j on.
func (u *unified) same(i, j int) int {
	n := 0
	for i+n < len(u.a) && j+n < len(u.b) && !u.removed[i+n] && !u.added[j+n] {
		n++
	}
	return n
}

// skipChange moves over removed and added lines.
func (u *unified) skipChange() {
	for u.i < len(u.a) && u.removed[u.i] {
		u.i++
	}
	for u.j < len(u.b) && u.added[u.j] {
		u.j++
	}
}

// next finds the next hunk: changes with no more than twice the context between
// them.
func (u *unified) next() bool {
	gap := u.same(u.i, u.j)
	u.i, u.j = u.i+gap, u.j+gap
	if u.i == len(u.a) && u.j == len(u.b) {
		return false
	}
	lead := min(gap, u.context)
	u.a0, u.b0 = u.i-lead, u.j-lead
	for {
		u.skipChange()
		gap = u.same(u.i, u.j)
		if gap > 2*u.context || u.i+gap == len(u.a) && u.j+gap == len(u.b) {
			break
		}
		u.i, u.j = u.i+gap, u.j+gap
	}
	tail := min(gap, u.context)
	u.a1, u.b1 = u.i+tail, u.j+tail
	return true
}

// write writes a hunk: its head, and its lines, those removed before those
// added.
func (u *unified) write(out *strings.Builder) {
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(u.a0, u.a1), span(u.b0, u.b1))
	for i, j := u.a0, u.b0; i < u.a1 || j < u.b1; {
		switch {
		case i < u.a1 && u.removed[i]:
			line(out, '-', u.a[i])
			i++
		case j < u.b1 && u.added[j]:
			line(out, '+', u.b[j])
			j++
		default:
			line(out, ' ', u.a[i])
			i++
			j++
		}
	}
}

// span is a range of lines as hunk headers have it, where an empty one names
// the line before it.
func span(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

// line writes a line with its mark, and says so where the text ends without a
// newline, as diff does.
func line(out *strings.Builder, mark byte, text []byte) {
	out.WriteByte(mark)
	out.Write(text)
	if text[len(text)-1] != '\n' {
		out.WriteString("\n\\ No newline at end of file\n")
	}
}
