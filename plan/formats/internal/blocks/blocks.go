// Package blocks makes the tree of blocks of a Markdown text, for formats whose
// parts are nested lists. It reads the lines that package outline finds outside
// code fences, with a parser of CommonMark, in time and memory that follow the
// length of the text.
package blocks

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// parse makes the tree of blocks of a text. What stands inside lines is left as
// text, so that the time follows the length and not the marks in it. A line of
// dashes below a text is a rule, not a heading.
func parse(flat []byte) ast.Node {
	return parser.NewParser(parser.WithBlockParsers(
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(parser.NewListParser(), 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewBlockquoteParser(), 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	)).Parse(text.NewReader(flat))
}

// A Document is a Markdown text with its tree.
type Document struct {
	Text *outline.Text
	Flat []byte // as of [Flatten]
	Full int
	Root ast.Node
}

// Parse reads a text.
func Parse(t *outline.Text) *Document {
	flat, full := Flatten([]byte(t.Source()))
	return &Document{Text: t, Flat: flat, Full: full, Root: parse(flat)}
}

// A Line is one line of a block, without blanks at its ends.
type Line struct {
	Text string
	At   int  // its offset
	Hard bool // it is not to be joined with the next
}

// Lines are those of a heading, a paragraph or the like.
func (d *Document) Lines(n ast.Node) []Line {
	segments := n.Lines()
	if segments == nil {
		return nil
	}
	list := make([]Line, 0, segments.Len())
	for i := range segments.Len() {
		s := segments.At(i)
		raw := bytes.TrimRight(d.Flat[s.Start:s.Stop], "\r\n")
		trimmed := bytes.TrimSpace(raw)
		if len(trimmed) == 0 {
			continue
		}
		list = append(list, Line{Text: string(trimmed), At: s.Start + bytes.Index(raw, trimmed),
			Hard: bytes.HasSuffix(raw, []byte("  ")) || bytes.HasSuffix(trimmed, []byte(`\`))})
	}
	return list
}

// Own are the lines of a list item before anything that is nested in it.
func (d *Document) Own(item ast.Node) []Line {
	first := item.FirstChild()
	if first == nil || first.Kind() != ast.KindTextBlock && first.Kind() != ast.KindParagraph {
		return nil
	}
	return d.Lines(first)
}

// End is the offset behind a node with all that is nested in it.
func (d *Document) End(n ast.Node) int {
	for ; n != nil; n = n.Parent() {
		if next := n.NextSibling(); next != nil && next.Pos() >= 0 {
			at := next.Pos()
			if i := bytes.LastIndexByte(d.Flat[:at], '\n'); i >= 0 {
				return i + 1
			}
			return at
		}
	}
	return len(d.Flat)
}

// Raw is the text from an offset to another as it was written, its further
// lines without the blanks that all of them begin with.
func (d *Document) Raw(from, to int) string {
	first, rest, more := strings.Cut(strings.TrimRight(d.Text.Source()[from:max(from, to)], " \t\r\n"), "\n")
	first = strings.TrimRight(first, " \t\r")
	if !more {
		return first
	}
	lines := strings.Split(rest, "\n")
	common := -1
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t\r")
		if indent := len(lines[i]) - len(strings.TrimLeft(lines[i], " \t")); lines[i] != "" &&
			(common < 0 || indent < common) {
			common = indent
		}
	}
	for i, l := range lines {
		lines[i] = l[min(len(l), max(common, 0)):]
	}
	return strings.TrimSpace(first + "\n" + strings.Join(lines, "\n"))
}

// Items are the items of a list, as nodes.
func Items(list ast.Node) []ast.Node {
	var found []ast.Node
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		found = append(found, n)
	}
	return found
}
