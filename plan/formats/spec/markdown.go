package spec

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// parse makes the tree of blocks of a text. What stands inside lines is left as text, so that the time follows
// the length and not the marks in it. A line of dashes below a text is a rule, not a heading.
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

// A document is a Markdown file with its tree.
type document struct {
	file *file
	flat []byte
	full int // as of flatten
	root ast.Node
}

func newDocument(f *file) *document {
	flat, full := flatten(f.text)
	return &document{file: f, flat: flat, full: full, root: parse(flat)}
}

// A line is one line of a block, without blanks at its ends; hard is a line that is not to be joined with the next.
type line struct {
	text string
	at   int
	hard bool
}

// lines are those of a heading, a paragraph or the like.
func (d *document) lines(n ast.Node) []line {
	segments := n.Lines()
	if segments == nil {
		return nil
	}
	list := make([]line, 0, segments.Len())
	for i := range segments.Len() {
		s := segments.At(i)
		raw := bytes.TrimRight(d.flat[s.Start:s.Stop], "\r\n")
		trimmed := bytes.TrimSpace(raw)
		if len(trimmed) == 0 {
			continue
		}
		list = append(list, line{text: string(trimmed), at: s.Start + bytes.Index(raw, trimmed),
			hard: bytes.HasSuffix(raw, []byte("  ")) || bytes.HasSuffix(trimmed, []byte(`\`))})
	}
	return list
}

// own are the lines of a list item before anything that is nested in it.
func (d *document) own(item ast.Node) []line {
	first := item.FirstChild()
	if first == nil || first.Kind() != ast.KindTextBlock && first.Kind() != ast.KindParagraph {
		return nil
	}
	return d.lines(first)
}

// joined is the text that lines begin with: up to a line that is ended on purpose, or the next **Label:**.
func joined(lines []line) string {
	if len(lines) == 0 {
		return ""
	}
	return continued(lines[0].text, lines)
}

// valueOf is the value of the label that lines begin with, which may go on in the next.
func valueOf(b label, lines []line) string { return continued(b.value, lines) }

func continued(text string, lines []line) string {
	text = strings.TrimSuffix(text, `\`)
	if len(lines) == 1 {
		return strings.TrimSpace(text)
	}
	parts := []string{text}
	for i, l := range lines[1:] {
		if _, ok := labelled(l); ok || lines[i].hard {
			break
		}
		parts = append(parts, strings.TrimSuffix(l.text, `\`))
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// end is the offset behind a node with all that is nested in it.
func (d *document) end(n ast.Node) int {
	for ; n != nil; n = n.Parent() {
		if next := n.NextSibling(); next != nil && next.Pos() >= 0 {
			at := next.Pos()
			if i := bytes.LastIndexByte(d.flat[:at], '\n'); i >= 0 {
				return i + 1
			}
			return at
		}
	}
	return len(d.flat)
}

// raw is the text from an offset to another as it was written, its further lines without the blanks that
// all of them begin with.
func (d *document) raw(from, to int) string {
	first, rest, more := strings.Cut(strings.TrimRight(string(d.file.text[from:max(from, to)]), " \t\r\n"), "\n")
	first = strings.TrimRight(first, " \t\r")
	if !more {
		return first
	}
	lines := strings.Split(rest, "\n")
	common := -1
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t\r")
		if indent := len(lines[i]) - len(strings.TrimLeft(lines[i], " \t")); lines[i] != "" && (common < 0 || indent < common) {
			common = indent
		}
	}
	for i, l := range lines {
		lines[i] = l[min(len(l), max(common, 0)):]
	}
	return strings.TrimSpace(first + "\n" + strings.Join(lines, "\n"))
}

// items are the items of a list, as nodes.
func items(list ast.Node) []ast.Node {
	var found []ast.Node
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		found = append(found, n)
	}
	return found
}
