package page

import (
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// A Section is a heading with what stands directly below it, up to the next
// heading. The first has no heading: it is what stands above the first.
type Section struct {
	Level      int // 0: what stands above the first heading
	Text       string
	From, Body int // the line of the heading, and that below it
	To         int // the line behind its last
	Role       Role
	Done       bool   // the heading says that it is
	parent     int    // the section that it is part of, -1
	count      [5]int // items, by their marks
	counts     bool   // the heading counts what is to be done
}

// counting are the words with which English headings count what is to be done.
const counting = `(?i:step|phase|task|part|stage|milestone|change|commit|pr)`

var (
	// counted is a heading that counts what is to be done, "Step 2: …".
	counted = lazyre.New(`^(?:\*\*)?` + counting + `\s+#?\d`)
	// ordinal is a number before the text of a heading, "Step 2:" or "3.".
	ordinal = lazyre.New(`^(?:` + counting + `\s+#?\d+(?:\.\d+)*[a-z]?\b\s*[:.)–—-]?|` +
		`\d+(?:\.\d+)+[.):]?|\d+[.):])\s*(?:[–—-]\s+)?`)
	// ornament is what people put before and behind words of a heading.
	ornament = lazyre.New(`^[^\pL\d]+|[^\pL\d)]+$`)
	// finished is a heading that says that its work is done.
	finished = lazyre.New(`(?i)(?:[✅☑✔]\x{fe0f}?|\[x\]|\((?:done|complete|completed)\)|` +
		`\s[–—-]\s*(?:done|complete|completed))\W*$`)
	// strong is a line in bold face.
	strong = lazyre.New(`^\*\*([^*]{1,60})\*\*:?[ \t]*$`)
	// underline is what stands below a heading of the form of "Text" with a line
	// below it.
	underline = lazyre.New(`^ {0,3}(?:={2,}|-{3,})[ \t]*$`)
)

// cut finds the sections. A front matter is passed over.
func (p *Page) cut(t *outline.Text) {
	start := matter(t)
	p.Sections = []Section{{From: start, Body: start, parent: -1}}
	over := start // lines before it are read
	headings := 0
	for i := range t.Shown(start) {
		if level, _, _ := heading(t, i); level > 0 {
			headings++
		}
	}
	for i, line := range t.Shown(start) {
		if i < over {
			continue
		}
		level, text, lines := heading(t, i)
		if level == 0 && headings < 2 { // its title, if any
			level, text, lines = bold(line)
		}
		if level > 0 {
			over = i + lines
			p.Sections[len(p.Sections)-1].To = i
			p.Sections = append(p.Sections, Section{Level: level, Text: text, From: i, Body: over,
				parent: p.above(level), Role: RoleOf(text), Done: finished.MatchString(text)})
			continue
		}
		s := &p.Sections[len(p.Sections)-1]
		if n := p.table(t, i, s.Role); n > 0 {
			over = i + n
			s.count[Table] += n - 2
			continue
		}
		switch m, it, ok := Item(line); {
		case !ok || it.Text == "":
		case it.Indent < 2:
			s.count[m]++
		case m == Boxes:
			s.count[nested]++
		}
	}
	p.Sections[len(p.Sections)-1].To = len(t.Lines)
	p.series()
	for n := range p.Sections {
		s := &p.Sections[n]
		name := s.Title()
		switch {
		case s.counts || tests.MatchString(name) && (name != Plain(s.Text) || s.count[Boxes] > 0):
			s.Role = Open // whatever it is called, it is one of those to be done
		case s.Role == Open && s.count[Boxes] == 0 && about(s.Text):
			s.Role = Aside
		}
		if s.parent < 0 || s.Role == Work && p.Sections[s.parent].Role != Aside {
			continue
		}
		if above := p.Sections[s.parent].Role; above == Aside || above == Proof || above == Goal {
			s.Role = above
		}
	}
}

// heading reads a line, or one with a line below it, as a heading.
func heading(t *outline.Text, i int) (level int, text string, lines int) {
	line := t.Line(i)
	if level, text := outline.Heading(line); level > 0 {
		if text == "" {
			level = 0
		}
		return level, text, 1
	}
	if i+1 >= len(t.Lines) || t.Lines[i+1].Hidden || !underline.MatchString(t.Line(i+1)) ||
		i > 0 && !t.Lines[i-1].Hidden && strings.TrimSpace(t.Line(i-1)) != "" {
		return 0, "", 0
	}
	text = strings.TrimSpace(line)
	if _, _, item := Item(line); item || text == "" || outline.Width(line) > 3 || strings.ContainsAny(text[:1], "|>") ||
		underline.MatchString(line) {
		return 0, "", 0
	}
	if strings.Contains(t.Line(i+1), "=") {
		return 1, text, 2
	}
	return 2, text, 2
}

// bold reads a line in bold face as a heading, where it says what it is for:
// "**Steps**", "**Verification:**".
func bold(line string) (level int, text string, lines int) {
	m := strong.FindStringSubmatch(line)
	if m == nil || RoleOf(m[1]) == Open {
		return 0, "", 0
	}
	return 6, m[1], 1
}

// series finds the headings that count what is to be done: those with a word for
// it, and in any language those of which several begin with one word and numbers
// that differ.
func (p *Page) series() {
	type of struct {
		level int
		word  string
	}
	numbers := map[of]map[string]bool{}
	key := func(s Section) (of, string) {
		m := numbered.FindStringSubmatch(ornament.ReplaceAllString(s.Text, ""))
		if m == nil {
			return of{}, ""
		}
		return of{s.Level, strings.ToLower(m[1])}, m[2]
	}
	for _, s := range p.Sections[1:] {
		k, number := key(s)
		if number == "" || listing.Has(k.word) {
			continue
		}
		if numbers[k] == nil {
			numbers[k] = map[string]bool{}
		}
		numbers[k][number] = true
	}
	for n := range p.Sections {
		s := &p.Sections[n]
		k, _ := key(*s)
		s.counts = counted.MatchString(ornament.ReplaceAllString(s.Text, "")) || len(numbers[k]) > 1
	}
}

// matter is the first line behind a front matter.
func matter(t *outline.Text) int {
	if len(t.Lines) == 0 || strings.TrimRight(t.Line(0), " ") != "---" {
		return 0
	}
	for i := 1; i < len(t.Lines); i++ {
		if strings.TrimRight(t.Line(i), " ") == "---" {
			return i + 1
		}
	}
	return 0
}

// above is the section that a heading of a level is part of, -1 for none.
func (p *Page) above(level int) int {
	for n := len(p.Sections) - 1; n > 0; n = p.Sections[n].parent {
		if p.Sections[n].Level < level {
			return n
		}
		if p.Sections[n].parent < 0 {
			break
		}
	}
	return -1
}

// Item reads a line as an item of a list.
func Item(line string) (Mark, outline.Item, bool) {
	it, ok := outline.ListItem(line)
	switch {
	case it.Box != 0:
		return Boxes, it, ok
	case it.Number != "":
		return Numbers, it, ok
	}
	return Bullets, it, ok
}

// Title is what a section is called, without its number.
func (s Section) Title() string {
	text := Plain(s.Text)
	if s.counts {
		if rest := strings.TrimSpace(series.ReplaceAllString(strings.TrimLeft(text, " *_#"+marks), "")); rest != "" {
			return rest
		}
	}
	if rest := strings.TrimSpace(ordinal.ReplaceAllString(text, "")); rest != "" {
		text = rest
	}
	return text
}

// Number is what a heading is numbered with, as in "2.1"; "": it is not.
func (s Section) Number() string {
	text := ornament.ReplaceAllString(s.Text, "")
	if m := numbered.FindStringSubmatch(text); m != nil && s.counts {
		return m[2]
	}
	return strings.TrimRight(leading.FindString(text), ".):")
}

// Plain is a title without bold face, and without a colon at its end.
func Plain(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "**", ""))
	return strings.TrimRight(text, ":")
}
