package spec

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/planlock/planlock/plan/formats/internal/blocks"
)

// behind is the offset behind the last of some lines; at, where there are none.
func behind(lines []blocks.Line, at int) int {
	if n := len(lines); n > 0 {
		return lines[n-1].At + len(lines[n-1].Text)
	}
	return at
}

// leave keeps what stands before an offset and was not read, as it was written: it
// tells of the open step, of the open task or SPECLet, or of the whole. A section
// holds what stands in it.
func (o *outliner) leave(to int) {
	text := strings.Trim(o.Raw(o.read, to), "- \n")
	o.read = max(o.read, to)
	switch {
	case text == "" || o.goal != nil || o.section != nil:
	case o.step != nil:
		o.step.more = append(o.step.more, text)
	case o.task != nil:
		o.task.more = append(o.task.more, text)
	case o.speclet != nil:
		o.speclet.more = append(o.speclet.more, text)
	default:
		o.more = append(o.more, text)
	}
}

// stepFrom opens the step that an item of a list tells of, with what is nested
// in it.
func (o *outliner) stepFrom(id string, item ast.Node, own []blocks.Line) {
	_, title, _ := entitled(joined(own), boldStep, plainStep)
	o.openStep(id, title, item.Pos())
	for i, l := range own[1:] {
		if b, ok := labelled(l); ok {
			value := valueOf(b, own[i+1:])
			o.step.field(b.name, value, value, l.At, b.at)
		}
	}
	s, read := o.step, behind(own, item.Pos())
	for n := item.FirstChild().NextSibling(); n != nil; n = n.NextSibling() {
		lines, list := o.Lines(n), blocks.Items(n)
		if _, ok := n.(*ast.List); ok {
			lines = o.Own(list[0])
		}
		if len(lines) > 0 {
			s.say(o.Raw(read, lines[0].At))
			read = o.End(n)
		}
		if _, ok := n.(*ast.List); ok {
			for _, sub := range list {
				o.stepItem(s, sub, o.Own(sub), true)
			}
			continue
		}
		said := false
		for _, l := range lines {
			if b, ok := labelled(l); ok {
				s.field(b.name, b.value, b.value, l.At, b.at)
				said = true
			}
		}
		if !said && len(lines) > 0 {
			s.say(o.Raw(lines[0].At, read))
		}
	}
}

// say adds what is said of a step in no words of the format.
func (s *step) say(text string) {
	if text = strings.Trim(text, "-*+ \n"); text != "" {
		s.more = append(s.more, text)
	}
}
