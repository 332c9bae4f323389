package spec

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/planlock/planlock/plan"
)

// finish keeps what stands outside tasks: every section as it was written, and what a plan has fields for.
func (o *outliner) finish() {
	h := o.half
	h.nameDepends()
	known := h.taskIDs()
	for _, s := range h.speclets {
		seen := map[string]bool{}
		var tasks []said
		for _, t := range s.tasks {
			if t.text = h.taskID(t.text, known); !seen[t.text] {
				seen[t.text] = true
				tasks = append(tasks, t)
			}
		}
		s.tasks = tasks
	}
	for _, t := range h.tasks {
		h.keepExtras(t)
	}
	for _, s := range o.sections {
		if text := strings.Trim(o.raw(s.from, s.to), "- \n"); text != "" {
			h.keep("sections", []plan.Setting{{Key: keyOf(s.title), Value: textValue(o.raw(s.from, s.to))}})
		}
		o.lists(s)
	}
	h.refs = references(o.flat)
	h.readHead(o.document)
}

// lists reads the sections whose items a plan knows.
func (o *outliner) lists(s *section) {
	switch {
	case strings.HasPrefix(s.name, "definition of complete"), strings.HasPrefix(s.name, "completion criteria"):
		for _, item := range o.itemsIn(s) {
			o.half.rest.Completion.AcceptanceCriteria = append(o.half.rest.Completion.AcceptanceCriteria, checkbox.ReplaceAllString(item, ""))
		}
	case strings.HasPrefix(s.name, "user stories"):
		o.half.keep("user_stories", listSetting(o.itemsIn(s)))
	case strings.HasPrefix(s.name, "definitions"):
		for _, item := range o.itemsIn(s) {
			name, text, ok := strings.Cut(strings.ReplaceAll(item, "**", ""), ":")
			if ok {
				o.half.keep("definitions", []plan.Setting{{Key: keyOf(strings.TrimSpace(name)), Value: textValue(strings.TrimSpace(text))}})
			}
		}
	case s.name == "components" || s.name == "constraints":
		o.half.keep("described_"+s.name, listSetting(o.itemsIn(s)))
	}
}

var checkbox = regexp.MustCompile(`^\[[ xX~-]\] +`)

func listSetting(items []string) []plan.Setting {
	if len(items) == 0 {
		return nil
	}
	return []plan.Setting{{Key: "items", Value: textList(items)}}
}

// itemsIn are the items of the lists in a section, each as written.
func (o *outliner) itemsIn(s *section) []string {
	var list []string
	for n := s.first; n != nil && n.Pos() < s.to; n = n.NextSibling() {
		if l, ok := n.(*ast.List); ok {
			for _, item := range items(l) {
				if own := o.own(item); len(own) > 0 {
					list = append(list, o.raw(own[0].at, o.end(item)))
				}
			}
		}
	}
	return list
}

// readHead reads the title and the lines **Version:** and the like before the first section.
func (h *half) readHead(d *document) {
	for n := d.root.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level > 1 {
				return
			}
			if lines := d.lines(n); len(lines) > 0 {
				h.rest.Meta.Extra = append(h.rest.Meta.Extra, plan.Setting{Key: "title", Value: textValue(lines[0].text)})
			}
		case *ast.Paragraph:
			for _, l := range d.lines(n) {
				b, ok := labelled(l)
				switch {
				case !ok || b.value == "":
				case b.name == "version":
					h.rest.Meta.Version = b.value
				default:
					h.rest.Meta.Extra = append(h.rest.Meta.Extra, plan.Setting{Key: keyOf(slug(b.name)), Value: textValue(b.value)})
				}
			}
		}
	}
}

var (
	reference = regexp.MustCompile(`(?:^|[^\w.\]])((?:constraints|components)\.[A-Za-z_][\w-]*)`)
	endings   = regexp.MustCompile(`\.(?:md|toml|json|ya?ml|txt|py|go|js|ts|tsx|jsx)$`)
)

// references are the keys of [constraints] and [components] that a text names, each once.
func references(flat []byte) []said {
	var list []said
	seen := map[string]bool{}
	for _, m := range reference.FindAllSubmatchIndex(flat, -1) {
		name := string(flat[m[2]:m[3]])
		if !seen[name] && !endings.MatchString(name) {
			seen[name] = true
			list = append(list, said{name, m[2], true})
		}
	}
	return list
}
