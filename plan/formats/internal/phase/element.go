package phase

import (
	"strings"
)

// An element is a tag with what is in it, as in <files>a.go</files>.
type element struct {
	name, text string
	line       int
}

// tag reads a tag at the beginning of a text: its name, whether it closes, and
// its length; 0 if there is none. A tag does not go over the end of a line.
func tag(text string) (name string, closes bool, length int) {
	if len(text) < 3 || text[0] != '<' {
		return "", false, 0
	}
	i := 1
	if closes = text[1] == '/'; closes {
		i++
	}
	from := i
	for i < len(text) && (text[i] == '-' || text[i] == '_' || text[i] >= '0' && text[i] <= '9' || letter(text[i])) {
		i++
	}
	if i == from || !letter(text[from]) || i == len(text) || strings.IndexByte("> \t/", text[i]) < 0 {
		return "", false, 0
	}
	name = text[from:i]
	for ; i < len(text) && text[i] != '\n' && text[i] != '<'; i++ {
		if text[i] == '>' {
			return name, closes, i + 1
		}
	}
	return "", false, 0
}

// letter reports whether a name of a tag can begin with it.
func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// elements finds the outermost elements of a task. An element begins where a
// line begins, or right behind another one; one that is not closed ends with
// its line. Tags in the middle of a line are prose.
func (r *reader) elements(from, to int) []element {
	text := r.t.Join(from, to)
	if strings.IndexByte(text, '<') < 0 {
		return nil
	}
	base := r.t.Start(from)
	closers := closings(text)
	var list []element
	for at := 0; at < len(text); {
		rest := text[at:]
		blanks := len(rest) - len(strings.TrimLeft(rest, " \t\r\n"))
		at += blanks
		name, closes, length := tag(text[at:])
		if length == 0 || closes {
			n := strings.IndexByte(text[at:], '\n')
			if n < 0 {
				break
			}
			at += n + 1
			continue
		}
		start := at + length
		end, next := closers.balanced(text, name, start)
		if end < 0 {
			end = len(text)
			if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
				end = start + n
			}
			next = end
		}
		list = append(list, element{name, text[start:end], r.t.Offset(base+at).Line - 1})
		at = next
	}
	return list
}

// tags are the places of the closing and of the opening tags of each name, in
// order.
type tags struct {
	close, open map[string][]int
	odd         map[string]bool // names whose tags do not match: the first closing tag counts
}

// closings finds all tags of a text in one pass, so that finding the end of
// each is no search of its own.
func closings(text string) tags {
	t := tags{map[string][]int{}, map[string][]int{}, map[string]bool{}}
	for at := 0; at < len(text); {
		n := strings.IndexByte(text[at:], '<')
		if n < 0 {
			break
		}
		at += n
		name, closes, length := tag(text[at:])
		switch {
		case length == 0:
			length = 1
		case closes:
			t.close[name] = append(t.close[name], at)
		case beginsLine(text, at):
			t.open[name] = append(t.open[name], at)
		}
		at += length
	}
	return t
}

// beginsLine reports whether only blanks stand before a place on its line.
func beginsLine(text string, at int) bool {
	for at--; at >= 0 && (text[at] == ' ' || text[at] == '\t'); at-- {
	}
	return at < 0 || text[at] == '\n'
}

// balanced finds the closing tag of an element whose content begins at start:
// where it is, and where it ends. Elements of the same name that begin a line
// inside it are counted. Where the tags of a name do not match, the first
// closing tag counts from then on. What was passed is dropped, so that all
// searches together are linear.
func (t tags) balanced(text, name string, start int) (end, next int) {
	if len(t.close[name]) == 0 {
		return -1, 0
	}
	opens, closes := after(t.open[name], start), after(t.close[name], start)
	t.open[name], t.close[name] = opens, closes
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
		return -1, 0
	}
	t.odd[name] = true
	return closes[0], closes[0] + strings.IndexByte(text[closes[0]:], '>') + 1
}

// after leaves out the places before start.
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
	case "files", "files_hint":
		t.files = splitFiles(strings.Split(e.text, "\n"))
	case "depends_on", "depends-on", "dependencies":
		t.depends, t.dependsAt = listedNames(strings.Split(text, "\n")), e.line
	case "acceptance_criteria", "acceptance-criteria", "acceptance":
		t.addCriteria(criteria(strings.Split(e.text, "\n")), e.line)
	case "done":
		t.expected = text
	case "estimate", "effort":
		t.estimate, t.estimateAt = text, e.line
	case "verify":
		t.verified(e.text, e.line)
	case "automated": // outside of <verify>
		t.verified("<automated>"+e.text+"</automated>", e.line)
	case "what-built", "description", "decision", "action":
		if t.about == "" {
			t.about, _, _ = strings.Cut(text, "\n")
		}
	default:
		t.unread(e.name, e.line)
	}
}
