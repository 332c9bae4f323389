package phase

import (
	"regexp"
	"strings"
)

// An element is a tag with what is in it, as in <files>a.go</files>.
type element struct {
	name, text string
	line       int
}

var openTag = regexp.MustCompile(`^<([A-Za-z][\w-]*)(?:\s[^<>\n]*)?>`)

// elements finds the outermost elements of a task. An element begins where a line begins, or right behind another one;
// one that is not closed ends with its line. Tags in the middle of a line are prose.
func (r *reader) elements(from, to int) []element {
	text := r.t.Join(from, to)
	base := r.t.Start(from)
	closers := closings(text)
	var list []element
	for at := 0; at < len(text); {
		rest := text[at:]
		blanks := len(rest) - len(strings.TrimLeft(rest, " \t\r\n"))
		at += blanks
		m := openTag.FindStringSubmatch(text[at:])
		if m == nil {
			n := strings.IndexByte(text[at:], '\n')
			if n < 0 {
				break
			}
			at += n + 1
			continue
		}
		start := at + len(m[0])
		end, next := closers.balanced(text, m[1], start)
		if end < 0 {
			end = len(text)
			if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
				end = start + n
			}
			next = end
		}
		list = append(list, element{m[1], text[start:end], r.t.Offset(base+at).Line - 1})
		at = next
	}
	return list
}

// tags are the places of the closing and of the opening tags of each name, in order.
type tags struct {
	close, open map[string][]int
	odd         map[string]bool // names whose tags do not match: the first closing tag counts
}

var anyTag = regexp.MustCompile(`</?([A-Za-z][\w-]*)[^<>\n]*>`)

func closings(text string) tags {
	t := tags{map[string][]int{}, map[string][]int{}, map[string]bool{}}
	for _, m := range anyTag.FindAllStringSubmatchIndex(text, -1) {
		name := text[m[2]:m[3]]
		if text[m[0]+1] == '/' {
			t.close[name] = append(t.close[name], m[0])
		} else if line := strings.LastIndexByte(text[:m[0]], '\n') + 1; strings.TrimSpace(text[line:m[0]]) == "" {
			t.open[name] = append(t.open[name], m[0])
		}
	}
	return t
}

// balanced finds the closing tag of an element whose content begins at start: where it is, and where it ends.
// Elements of the same name that begin a line inside it are counted. What was passed is dropped, so that all
// searches together are linear.
func (t tags) balanced(text, name string, start int) (end, next int) {
	opens, closes := after(t.open[name], start), after(t.close[name], start)
	depth := 0
	for i, c := range closes {
		for !t.odd[name] && len(opens) > 0 && opens[0] < c {
			depth++
			opens = opens[1:]
		}
		if depth == 0 {
			t.open[name], t.close[name] = opens, closes[i:]
			stop := strings.IndexByte(text[c:], '>')
			return c, c + stop + 1
		}
		depth--
	}
	if len(closes) == 0 {
		t.close[name] = nil
		return -1, 0
	}
	t.odd[name] = true
	return closes[0], closes[0] + strings.IndexByte(text[closes[0]:], '>') + 1
}

func after(places []int, start int) []int {
	for len(places) > 0 && places[0] < start {
		places = places[1:]
	}
	return places
}

// element puts what a tag says where it belongs.
func (t *task) element(e element) {
	text := strings.TrimSpace(e.text)
	switch e.name {
	case "name", "title":
		if t.title == "" {
			t.title = strings.Join(strings.Fields(text), " ")
		}
	case "files":
		t.files = splitFiles(strings.Split(e.text, "\n"))
	case "depends_on", "depends-on", "dependencies":
		t.depends, t.dependsAt = splitNames(text), e.line
	case "acceptance_criteria", "acceptance-criteria", "acceptance":
		t.acceptance = criteria(strings.Split(e.text, "\n"))
	case "done":
		t.expected = text
	case "verify":
		t.verify, t.judged = append(t.verify, commands(e.text)...), t.judged || text != ""
	case "what-built", "description", "decision", "action":
		if t.about == "" {
			t.about, _, _ = strings.Cut(text, "\n")
		}
	}
}
