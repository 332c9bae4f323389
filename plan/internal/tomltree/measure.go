package tomltree

import (
	"bytes"
	"fmt"
)

// Bounds of what is read. They keep the time and memory for any text in
// proportion to its length.
const (
	MaxDepth = 64      // nesting of tables and lists
	maxParts = 1 << 18 // punctuation marks of one key and its value
)

// measure looks through a text for nesting and length that no plan needs,
// before anything is built from it. It knows strings and comments, and leaves
// all other faults to the parser.
func measure(text []byte) (offset int, fault string) {
	depth, parts := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '#':
			i = skipTo(text, i, '\n') - 1
		case '"', '\'':
			i = skipString(text, i) - 1
		case '\n':
			if depth == 0 {
				parts = 0
			}
		case '[', '{':
			depth++
			parts++
			if depth > MaxDepth {
				return i, fmt.Sprintf("values are nested more than %d deep", MaxDepth)
			}
		case ']', '}':
			depth = max(depth-1, 0)
		case ',', '.', '=':
			parts++
		}
		if parts > maxParts {
			return i, fmt.Sprintf("one value has more than %d parts", maxParts)
		}
	}
	return 0, ""
}

// skipTo returns the offset of the next c at or after i, or the length of the
// text.
func skipTo(text []byte, i int, c byte) int {
	if n := bytes.IndexByte(text[i:], c); n >= 0 {
		return i + n
	}
	return len(text)
}

// skipString returns the offset behind the string that begins at i; a string
// that does not end on its line ends there.
func skipString(text []byte, i int) int {
	quote := text[i]
	if triple := bytes.Repeat([]byte{quote}, 3); bytes.HasPrefix(text[i:], triple) {
		for j := i + 3; j < len(text); j++ {
			if quote == '"' && text[j] == '\\' {
				j++
			} else if bytes.HasPrefix(text[j:], triple) {
				for j += 3; j < len(text) && text[j] == quote; {
					j++
				}
				return j
			}
		}
		return len(text)
	}
	for j := i + 1; j < len(text); j++ {
		switch {
		case text[j] == '\n':
			return j
		case quote == '"' && text[j] == '\\':
			j++
		case text[j] == quote:
			return j + 1
		}
	}
	return len(text)
}
