package spec

import (
	"bytes"
	"sort"
	"unicode/utf8"

	"github.com/planlock/planlock/plan"
)

// A file is one half as it was read, with the beginnings of its lines.
type file struct {
	name  string
	whole []byte // as given, with its byte order mark
	text  []byte // without it
	lines []int
}

var byteOrderMark = []byte("\xef\xbb\xbf")

func newFile(name string, whole []byte) *file {
	f := &file{name: name, whole: whole, text: bytes.TrimPrefix(whole, byteOrderMark), lines: []int{0}}
	for i, c := range f.text {
		if c == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	return f
}

// position turns an offset into a place.
func (f *file) position(offset int) plan.Position {
	offset = max(0, min(offset, len(f.text)))
	i := sort.SearchInts(f.lines, offset+1) - 1
	return plan.Position{File: f.name, Line: i + 1, Column: offset - f.lines[i] + 1}
}

// firstInvalid finds the first byte that is not UTF-8, or -1.
func firstInvalid(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}
