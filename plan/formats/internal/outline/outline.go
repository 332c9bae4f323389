// Package outline looks at a Markdown text line by line: where its lines are,
// which of them lie in code fences or comments, which are headings and which
// are items of a list.
//
// It serves the readers of task lists and phase plans, whose formats are
// defined by lines. It knows no nested blocks: a fence is a fence at any
// indentation. All work is linear in the length of the text.
package outline

import (
	"bytes"
	"iter"
	"sort"
	"strings"

	"github.com/planlock/planlock/plan"
)

// A Text is a source cut into lines. It may be read by many goroutines.
type Text struct {
	Name  string
	Lines []Line
	// Open is the line of a code fence or of a comment that nothing ends, so that
	// all below it is no structure; -1: there is none.
	Open int
	src  string
}

// A Line is one line of a Text, without its end.
type Line struct {
	start, end int32
	// Hidden says that the line is in a code fence, or is one of its marks, or
	// is in a comment: no structure.
	Hidden bool
	// Code says that it is in a code fence, or is one of its marks.
	Code bool
}

// Body is a text without the byte order mark that it may begin with.
func Body(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) }

// New cuts a text into lines. A byte order mark is taken off.
func New(name string, text []byte) *Text {
	text = Body(text)
	t := &Text{Name: name, src: string(text), Lines: make([]Line, 0, bytes.Count(text, []byte("\n"))+1)}
	for at := 0; at < len(text); {
		end, next := len(text), len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			end, next = at+n, at+n+1
		}
		if end > at && text[end-1] == '\r' {
			end--
		}
		t.Lines = append(t.Lines, Line{start: int32(at), end: int32(end)})
		at = next
	}
	t.hide()
	return t
}

// Line returns the text of line i, counted from 0.
func (t *Text) Line(i int) string { return t.src[t.Lines[i].start:t.Lines[i].end] }

// Shown goes through the lines from one on that are no part of code or of a
// comment, with their numbers.
func (t *Text) Shown(from int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := from; i < len(t.Lines); i++ {
			if !t.Lines[i].Hidden && !yield(i, t.Line(i)) {
				return
			}
		}
	}
}

// Join returns the source from line i up to line j, which is not included.
func (t *Text) Join(i, j int) string {
	if j > len(t.Lines) {
		j = len(t.Lines)
	}
	if i >= j {
		return ""
	}
	return t.src[t.Lines[i].start:t.Lines[j-1].end]
}

// Start is the offset of line i in the source, which Offset turns back into a
// place.
func (t *Text) Start(i int) int {
	if i >= len(t.Lines) {
		return len(t.src)
	}
	return int(t.Lines[i].start)
}

// At is the place of line i, counted from 0, at its first character that is no
// blank.
func (t *Text) At(i int) plan.Position {
	if i < 0 || i >= len(t.Lines) {
		return plan.Position{File: t.Name, Line: max(i, 0) + 1, Column: 1}
	}
	return plan.Position{File: t.Name, Line: i + 1, Column: Indent(t.Line(i)) + 1}
}

// Source is the whole text, without a byte order mark.
func (t *Text) Source() string { return t.src }

// Offset is the place of a byte of the source; of one outside of it, that of
// its nearest end.
func (t *Text) Offset(at int) plan.Position {
	if at = max(0, min(at, len(t.src))); at == len(t.src) && strings.HasSuffix(t.src, "\n") {
		return plan.Position{File: t.Name, Line: len(t.Lines) + 1, Column: 1}
	}
	i := sort.Search(len(t.Lines), func(i int) bool { return int(t.Lines[i].start) > at }) - 1
	if i < 0 {
		return plan.Position{File: t.Name, Line: 1, Column: 1}
	}
	return plan.Position{File: t.Name, Line: i + 1, Column: at - int(t.Lines[i].start) + 1}
}

// Indent is the number of blanks before the text of a line.
func Indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// Hide takes lines out of the structure, those from i up to j.
func (t *Text) Hide(i, j int) {
	for ; i < j && i < len(t.Lines); i++ {
		t.Lines[i].Hidden = true
	}
}

// hide marks what lies in fences and in comments.
func (t *Text) hide() {
	var open Fence
	comment, last := false, -1
	for i := range t.Lines {
		l := &t.Lines[i]
		line := t.src[l.start:l.end]
		var code bool
		if !comment {
			code = open.Next(line)
		}
		l.Hidden, l.Code = comment || code, code
		trimmed := strings.TrimLeft(line, " \t")
		switch {
		case comment:
			comment = !strings.Contains(trimmed, "-->")
		case !code && strings.HasPrefix(trimmed, "<!--"):
			l.Hidden, comment = true, !strings.Contains(trimmed[4:], "-->")
		}
		if is := comment || open.length > 0; is && last < 0 {
			last = i
		} else if !is {
			last = -1
		}
	}
	t.Open = last
}
