package plan

import (
	"bytes"
	"sort"
)

// A source is the text that a draft was read from, with the beginnings of its lines.
type source struct {
	name  string
	text  []byte // without a byte order mark
	lines []int32
}

var byteOrderMark = []byte("\xef\xbb\xbf")

func newSource(name string, text []byte) *source {
	s := &source{name: name, text: bytes.TrimPrefix(text, byteOrderMark), lines: []int32{0}}
	for i, c := range s.text {
		if c == '\n' {
			s.lines = append(s.lines, int32(i+1))
		}
	}
	return s
}

// position turns an offset into the text into a place.
func (s *source) position(offset int32) Position {
	if int(offset) > len(s.text) {
		offset = int32(len(s.text))
	}
	i := sort.Search(len(s.lines), func(i int) bool { return s.lines[i] > offset }) - 1
	return Position{File: s.name, Line: i + 1, Column: int(offset-s.lines[i]) + 1}
}

// line returns the text of a line without its end, or "".
func (s *source) line(number int) string {
	if number < 1 || number > len(s.lines) {
		return ""
	}
	rest := s.text[s.lines[number-1]:]
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	return string(bytes.TrimSuffix(rest, []byte("\r")))
}
