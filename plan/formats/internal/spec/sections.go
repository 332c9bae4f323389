package spec

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
	"github.com/yuin/goldmark/ast"

	"github.com/planlock/planlock/internal/spelling"
	"github.com/planlock/planlock/plan/formats/internal/blocks"
)

// finish keeps what stands outside tasks: every section as it was written, and
// what a plan has fields for.
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
	const apart = "\n\n"
	for _, t := range h.tasks {
		t.dependsOn = slices.DeleteFunc(t.dependsOn, func(name string) bool { return !known[h.taskID(name, known)] })
		for _, s := range t.steps { // what is said of all of them; a mode that is none is told of the task
			if s.critical, s.retries = s.flagOf(t), s.retriesOf(t); modeOf(t.mode.text) != "" {
				s.mode = s.modeOf(t)
			}
			for _, b := range s.backups {
				b.id = local(t.id+"."+s.id, b.id)
			}
		}
		t.description = strings.TrimSpace(strings.Join(append([]string{t.description}, t.more...), apart))
		h.keepExtras(t)
	}
	for _, s := range h.speclets {
		if s.more != nil {
			s.extra = append(s.extra, plan.Setting{Key: "text", Value: sketch.Text(strings.Join(s.more, apart))})
		}
		h.keep("speclets."+spelling.QuoteKey(s.id), s.extra)
	}
	if o.more != nil {
		h.rest.Settings = append(h.rest.Settings, plan.Setting{Key: otherTable + ".preamble",
			Value: sketch.Text(strings.Join(o.more, apart))})
	}
	kept, at := []plan.Setting(nil), map[string]int{} // sections of one title are one setting
	for _, s := range o.sections {
		if text := o.Raw(s.from, s.to); strings.Trim(text, "- \n") != "" {
			if n, again := at[s.title]; again {
				kept[n].Value.Text += apart + text
			} else {
				at[s.title] = len(kept)
				kept = append(kept, plan.Setting{Key: spelling.QuoteKey(s.title), Value: sketch.Text(text)})
			}
		}
		o.lists(s)
	}
	h.keep("sections", kept)
	h.refs = references(o.Flat)
	h.readHead(o.Document)
	o.readPattern()
}

// lists reads the sections whose items a plan knows.
func (o *outliner) lists(s *section) {
	switch {
	case strings.HasPrefix(s.name, "definition of complete"), strings.HasPrefix(s.name, "completion criteria"):
		for _, item := range o.itemsIn(s) {
			o.half.rest.Completion.AcceptanceCriteria = append(o.half.rest.Completion.AcceptanceCriteria,
				criteria(item)...)
		}
	case strings.HasPrefix(s.name, "user stories"):
		o.half.keep("user_stories", listSetting(o.itemsIn(s)))
	case strings.HasPrefix(s.name, "definitions"):
		for _, item := range o.itemsIn(s) {
			name, text, ok := strings.Cut(strings.ReplaceAll(item, "**", ""), ":")
			if ok {
				o.half.keep("definitions", []plan.Setting{{Key: spelling.QuoteKey(strings.TrimSpace(name)),
					Value: sketch.Text(strings.TrimSpace(text))}})
			}
		}
	case s.name == "components" || s.name == "constraints":
		o.half.keep("described_"+s.name, listSetting(o.itemsIn(s)))
	}
}

// checkbox is the mark before an item of a section.
var checkbox = lazyre.New(`^\[[ xX~-]\] +`)

// criteria are what one item says is to hold: itself, or each of the items
// below it, under its heading.
func criteria(item string) []string {
	head, rest, more := strings.Cut(checkbox.ReplaceAllString(item, ""), "\n")
	head = strings.TrimSpace(strings.ReplaceAll(head, "**", ""))
	if !more {
		return []string{head}
	}
	var list []string
	for _, l := range strings.Split(rest, "\n") {
		if text, ok := strings.CutPrefix(l, "- "); ok {
			list = append(list, strings.TrimSuffix(head, ":")+": "+checkbox.ReplaceAllString(text, ""))
		} else if n := len(list) - 1; n >= 0 && strings.TrimSpace(l) != "" {
			list[n] += "\n" + l
		}
	}
	if list == nil {
		return []string{head + "\n" + rest}
	}
	return list
}

// listSetting keeps the items of a section, or nothing where there are none.
func listSetting(items []string) []plan.Setting {
	if len(items) == 0 {
		return nil
	}
	return []plan.Setting{{Key: "items", Value: sketch.Texts(items)}}
}

// itemsIn are the items of the lists in a section, each as written.
func (o *outliner) itemsIn(s *section) []string {
	var list []string
	for n := s.first; n != nil && n.Pos() < s.to; n = n.NextSibling() {
		if l, ok := n.(*ast.List); ok {
			for _, item := range blocks.Items(l) {
				if own := o.Own(item); len(own) > 0 {
					list = append(list, o.Raw(own[0].At, o.End(item)))
				}
			}
		}
	}
	return list
}

// readHead reads the title and the lines **Version:** and the like before the
// first section.
func (h *half) readHead(d *blocks.Document) {
	for n := d.Root.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level > 1 {
				return
			}
			if lines := d.Lines(n); len(lines) > 0 {
				h.rest.Meta.Extra = append(h.rest.Meta.Extra,
					plan.Setting{Key: "title", Value: sketch.Text(lines[0].Text)})
			}
		case *ast.Paragraph:
			for _, l := range d.Lines(n) {
				b, ok := labelled(l)
				switch {
				case !ok || b.value == "":
				case b.name == "version":
					h.rest.Meta.Version = b.value
				default:
					h.rest.Meta.Extra = append(h.rest.Meta.Extra,
						plan.Setting{Key: spelling.QuoteKey(slug(b.name)), Value: sketch.Text(b.value)})
				}
			}
		}
	}
}

// patternKeys are what a SPEC says of the pattern that it was made from.
var patternKeys = []string{"pattern_name", "pattern_confidence", "pattern_technologies", "pattern_reference",
	"risk_assessment"}

// patternLine is a line that may say one of them, in a list, a table or neither,
// in bold, in backquotes or plain.
var patternLine = lazyre.New("^[-*+| `]*((?i)pattern[ _-](?:name|confidence|technologies|reference)|risk[ _-]assessment)[*` ]*[:|][*` ]*(.*?)[` |]*$")

// patternJoint is a comma between texts of a list, with what they stand between.
var patternJoint = lazyre.New("[\"'`]*(, *)[\"'`]*")

// readPattern reads what the document says of its pattern, before its first
// section or in one of metadata. What was read as a label of the head stays.
func (o *outliner) readPattern() {
	head := len(o.Text.Source())
	for n := o.Root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level > 1 {
			head = h.Pos()
			break
		}
	}
	o.patternIn(0, head)
	for _, s := range o.sections {
		switch strings.Trim(s.name, "[]: ") {
		case "meta", "metadata", "meta data", "pattern", "pattern metadata":
			o.patternIn(s.from, s.to)
		}
	}
}

// patternIn reads the lines of a part of the document.
func (o *outliner) patternIn(from, to int) {
	h, lines := o.half, strings.Split(o.Raw(from, to), "\n")
	for i, line := range lines {
		m := patternLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		key, text := slug(m[1]), cmp.Or(m[2], listBelow(lines[i+1:]))
		if text != "" && slices.Contains(patternKeys, key) &&
			!slices.ContainsFunc(h.rest.Meta.Extra, func(s plan.Setting) bool { return s.Key == key }) {
			h.rest.Meta.Extra = append(h.rest.Meta.Extra,
				plan.Setting{Key: key, Value: sketch.Text(strings.Trim(patternJoint.ReplaceAllString(text, "$1"), "*`[]\"' "))})
		}
	}
}

// listBelow is the text of the list that lines begin with; an item with a label ends it.
func listBelow(lines []string) string {
	var items []string
	for _, line := range lines {
		text := strings.TrimSpace(line)
		item := strings.TrimLeft(text, "-*+ ")
		if text == "" {
			continue
		}
		if item == "" || item == text || strings.Contains(item, ":") {
			break
		}
		items = append(items, strings.TrimRight(item, "*"))
	}
	return strings.Join(items, ", ")
}

// references are the keys of [constraints] and [components] that a text names,
// each once.
func references(flat []byte) []said {
	var list []said
	seen := map[string]bool{}
	for _, table := range [...]string{"constraints.", "components."} {
		for at := 0; ; {
			i := bytes.Index(flat[at:], []byte(table))
			if i < 0 {
				break
			}
			at += i
			end := at + len(table)
			for end < len(flat) && (isWordByte(flat[end]) || flat[end] == '-') {
				end++
			}
			name := string(flat[at:end])
			if end > at+len(table) && (at == 0 || !isWordByte(flat[at-1]) && flat[at-1] != '.') && !seen[name] &&
				!endings[name[len(table):]] {
				seen[name] = true
				list = append(list, said{name, at, true})
			}
			at = end
		}
	}
	return list
}

// isWordByte reports whether a byte is part of a key, or of a letter that is
// not ASCII.
func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// endings are those of files, which are no keys.
var endings = map[string]bool{"md": true, "toml": true, "json": true, "yaml": true, "yml": true, "txt": true,
	"py": true, "go": true, "js": true,
	"ts": true, "tsx": true, "jsx": true, "css": true}
