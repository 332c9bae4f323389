package plan

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// A Position is a place in a source file; lines and columns count from 1,
// columns in bytes.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// Places says where some parts of a plan stand, by the path of their key, such
// as "tasks[0].steps[1].limits".
type Places map[string]Position

// Position finds a part, or what is nearest around it; false where nothing
// around it is known either.
func (p Places) Position(path string) (Position, bool) {
	for path != "" {
		if at, ok := p[path]; ok {
			return at, true
		}
		if open := strings.LastIndexByte(path, '['); open > 0 && strings.HasSuffix(path, "]") {
			path = path[:open]
			continue
		}
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
	return Position{}, false
}

// A Text is a file as a front end read it.
type Text struct {
	Path string
	Text []byte

	lines []int // where they begin, behind a byte order mark
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// index finds the lines of the text.
func (t *Text) index() []byte {
	body := bytes.TrimPrefix(t.Text, byteOrderMark)
	if t.lines == nil {
		t.lines = append(make([]int, 0, 1+bytes.Count(body, []byte("\n"))), 0)
		for i, c := range body {
			if c == '\n' {
				t.lines = append(t.lines, i+1)
			}
		}
	}
	return body
}

// Position turns an offset into the text, behind a byte order mark, into a
// place.
func (t *Text) Position(offset int) Position {
	offset = min(offset, len(t.index()))
	i := sort.Search(len(t.lines), func(i int) bool { return t.lines[i] > offset }) - 1
	return Position{File: t.Path, Line: i + 1, Column: offset - t.lines[i] + 1}
}

// Line returns the text of a line without its end, or "".
func (t *Text) Line(number int) string {
	body := t.index()
	if number < 1 || number > len(t.lines) {
		return ""
	}
	rest := body[t.lines[number-1]:]
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	return string(bytes.TrimSuffix(rest, []byte("\r")))
}

// A SizeError refuses a plan by its size, before it is read.
type SizeError struct {
	Name      string
	Size, Max int64
}

// Error names the file, its size and the bound in bytes.
func (e *SizeError) Error() string {
	return fmt.Sprintf("plan: %q has %d bytes, more than the %d that a plan may have: split it up", e.Name, e.Size,
		e.Max)
}
