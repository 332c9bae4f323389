package blocks

import (
	"bytes"

	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// maxLead is how many columns of blanks and marks may stand before the text of
// a line; lines that begin deeper are no structure, and would cost time that
// grows with their depth.
const maxLead = 40

// maxPlain is how many lines of running text one after the other are told
// apart.
const maxPlain = 100

// Flatten returns a copy of a text for finding its structure in, with every
// byte at its place: what stands in code fences is blank, whatever their
// indentation, each fence is a rule, and what is nested too deeply is blank. Of
// many blank lines, and of many lines of running text, the ends are blank too,
// so that they are one line. full is the offset behind which there is more
// structure than a plan of this size can have, and nothing is read, or -1.
func Flatten(text []byte) (flat []byte, full int) {
	flat = bytes.Clone(text)
	var open outline.Fence
	blanks, plains, marks := 0, 0, 0
	for start := 0; start < len(flat); {
		end := len(flat)
		if n := bytes.IndexByte(flat[start:], '\n'); n >= 0 {
			end = start + n
		}
		line := flat[start:end]
		switch code, at := open.Opens(string(line)); {
		case at >= 0:
			blank(line[at:])
			copy(line[at:], "***")
		case code:
			blank(line)
		case lead(line) > maxLead:
			blank(line)
		}
		switch empty, running := kind(line); {
		case empty:
			if blanks++; blanks > 2 && start > 0 {
				flat[start-1] = ' '
			}
			plains = 0
		case running:
			if plains++; plains > maxPlain {
				flat[start-1] = ' '
			}
			if blanks > 0 {
				marks++
			}
			blanks = 0
		default:
			marks += nested(line)
			blanks, plains = 0, 0
		}
		if marks > 1000+len(flat)/shortest {
			for i := start; i < len(flat); i++ {
				flat[i] = ' '
			}
			return flat, start
		}
		start = end + 1
	}
	return flat, -1
}

// shortest is how many bytes a heading, an item of a list or a paragraph has on
// average at least. A file of shorter ones is no plan, and its tree would be
// much larger than itself.
const shortest = 20

// nested counts how many things a line begins at once: "- - a" is two.
func nested(line []byte) int {
	n := 0
	for i, c := range line {
		switch {
		case c == ' ' || c == '\t' || c >= '0' && c <= '9':
		case c == '>' || (c == '-' || c == '*' || c == '+' || c == '.' || c == ')') && i+1 < len(line) &&
			line[i+1] == ' ':
			n++
		default:
			return max(n, 1)
		}
	}
	return max(n, 1)
}

// kind tells blank lines and lines of running text from those that may be
// structure.
func kind(line []byte) (empty, running bool) {
	trimmed := bytes.TrimSpace(line)
	if len(trimmed) == 0 {
		return true, false
	}
	c := trimmed[0]
	return false, c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// lead is how many columns of blanks, list marks and quote marks a line begins
// with.
func lead(line []byte) int {
	columns := 0
	for i, c := range line {
		switch {
		case c == '\t':
			columns += 4
		case c == ' ' || c == '>' || (c == '-' || c == '*' || c == '+') && i+1 < len(line) &&
			(line[i+1] == ' ' || line[i+1] == '\t'):
			columns++
		case c >= '0' && c <= '9' || c == '.' || c == ')':
			columns++
		default:
			return columns
		}
		if columns > maxLead {
			return columns
		}
	}
	return 0 // a blank line, or a rule
}

// blank writes over a line and keeps its length, so that places stay what they
// are.
func blank(line []byte) {
	for i := range line {
		if line[i] != '\r' {
			line[i] = ' '
		}
	}
}
