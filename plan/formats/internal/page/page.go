// Package page finds what of a Markdown text that no tool wrote is work: which of
// its headings, and which items of its lists, somebody is to carry out, and what
// the rest is for.
//
// Where there are checkboxes, these are it. Else it is headings such as "Step 2:
// Write the test"; else the headings, the numbered list or the bullets below a
// heading such as "Implementation"; else headings with numbers; else a numbered
// list; else headings that have bullets and do not say that they are for anything
// else. Items that stand below several headings are parts of those.
package page

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// A Page is what is known of such a text.
type Page struct {
	Sections []Section
	Heads    map[int]bool // sections that are tasks, by their index
	Listed   map[int]bool // sections whose items are tasks, or steps of the section
	Mark     Mark         // of those items
}

// A Section is a heading with what stands directly below it, up to the next
// heading. The first has no heading: it is what stands above the first.
type Section struct {
	Level      int // 0: what stands above the first heading
	Text       string
	From, Body int // the line of the heading, and that below it
	To         int // the line behind its last
	Role       Role
	parent     int    // the section that it is part of, -1
	count      [4]int // items, by their marks
}

// A Role is what a heading says its section is for.
type Role int

const (
	Open  Role = iota // the heading does not say
	Work              // "Steps": what is to be done
	Aside             // "Context": what helps those who do it
	Proof             // "Verification": how all is found to be done
	Goal              // "Goal": what for
)

// A Mark is what an item of a list begins with.
type Mark int

const (
	Boxes   Mark = iota // "- [ ]"
	Numbers             // "1."
	Bullets             // "-"
	nested              // "- [ ]" below another item; to readers, Boxes
)

var (
	// counted is a heading that counts what is to be done, "Step 2: …".
	counted = lazyre.New(`^(?:\*\*)?(?i:step|phase|task|part|stage|milestone|change|commit|pr)\s+#?\d`)
	// ordinal is a number before the text of a heading, "Step 2:" or "3.".
	ordinal = lazyre.New(`^(?:(?i:step|phase|task|part|stage|milestone|change|commit|pr)\s+#?\d+(?:\.\d+)*[a-z]?\b\s*[:.)–—-]?|\d+(?:\.\d+)*[.):]|\d+(?:\.\d+)+)\s*`)
	// ornament is what people put before and behind words of a heading.
	ornament = lazyre.New(`^[^\pL\d]+|[^\pL\d)]+$`)
	// These are what headings say, in small letters.
	workHead = lazyre.New(`^(?:(?:implementation|execution|action|work|project|development|detailed|high-level|` +
		`proposed|recommended|remaining|next|more|main|concrete|key)\s+)*` +
		`(?:steps?|plans?|tasks?|to[- ]?dos?|(?:to[- ]?do|task)[ -]list|items?|checklist|changes|solution|` +
		`implementation|approach|phases|milestones|roadmap|work|breakdown)` +
		`(?:\s+(?:to take|to make|by step|steps|plan|details|breakdown|order|list|items|tasks|checklist))*$`)
	asideHead = lazyre.New(`^(?:(?:technical|important|additional|current|existing|key|critical|relevant|affected|` +
		`related|open|project|problem|executive|other|known)\s+)*` +
		`(?:context|background|overview|introduction|intro|summary|motivation|problem|statement|rationale|why|` +
		`notes?|references?|links?|resources|files?|questions?|risks?|assumptions?|constraints?|requirements?|` +
		`scope|out of scope|non-?goals?|dependencies|prerequisites?|decisions?|alternatives?|architecture|design|` +
		`state|situation|behaviou?r|considerations?|limitations?|glossary|timeline|estimates?|rollback(?: plan)?|` +
		`future(?: work)?|findings|analysis|research|tech(?:nology)? stack|stack|conventions?|rules|` +
		`instructions|status|progress)` +
		`(?:\s+(?:to (?:change|modify|edit|create|touch)|considered|involved|and .+))*$`)
	proofHead = lazyre.New(`^(?:(?:final|manual|automated|overall|end-to-end)\s+)*` +
		`(?:verification|verify|validation|acceptance(?: criteria| tests?)?|success criteria|completion criteria|` +
		`exit criteria|definition of (?:done|complete)|done when|how to (?:test|verify)|testing|tests?|test plan|` +
		`qa|checks|pre-merge|review checklist)(?:\s+(?:plan|strategy|steps|checklist|list|criteria|\(.*|(?:and|&) .*))*$`)
	// tests are headings of proof below which tests may be to be written.
	tests    = lazyre.New(`^(?i:testing|tests?)$`)
	goalHead = lazyre.New(`^(?:the\s+)?(?:goals?|objectives?|purpose|aim|outcome|task description)(?:\s+of .+)?$`)
)

// RoleOf reads a heading.
func RoleOf(text string) Role {
	text = ordinal.ReplaceAllString(ornament.ReplaceAllString(text, ""), "")
	text = strings.ToLower(ornament.ReplaceAllString(text, ""))
	switch {
	case goalHead.MatchString(text):
		return Goal
	case workHead.MatchString(text):
		return Work
	case asideHead.MatchString(text):
		return Aside
	case proofHead.MatchString(text):
		return Proof
	}
	return Open
}

// Of cuts a text into sections, and finds what of it is work. Its heads and
// lists are empty where nothing is.
func Of(t *outline.Text) Page {
	p := Page{Heads: map[int]bool{}, Listed: map[int]bool{}}
	p.cut(t)
	p.choose()
	return p
}

// cut finds the sections. A front matter is passed over.
func (p *Page) cut(t *outline.Text) {
	start := matter(t)
	p.Sections = []Section{{From: start, Body: start, parent: -1}}
	for i, line := range t.Shown(start) {
		if level, text := outline.Heading(line); level > 0 && text != "" {
			p.Sections[len(p.Sections)-1].To = i
			p.Sections = append(p.Sections, Section{Level: level, Text: text, From: i, Body: i + 1,
				parent: p.above(level), Role: RoleOf(text)})
			continue
		}
		s := &p.Sections[len(p.Sections)-1]
		switch m, it, ok := Item(line); {
		case !ok || it.Text == "":
		case it.Indent < 2:
			s.count[m]++
		case m == Boxes:
			s.count[nested]++
		}
	}
	p.Sections[len(p.Sections)-1].To = len(t.Lines)
	for n := range p.Sections {
		s := &p.Sections[n]
		name := ordinal.ReplaceAllString(s.Text, "")
		if counted.MatchString(s.Text) || tests.MatchString(name) && (name != s.Text || s.count[Boxes] > 0) {
			s.Role = Open // whatever it is called, it is one of those to be done
		}
		if s.parent < 0 || s.Role == Work && p.Sections[s.parent].Role != Aside {
			continue
		}
		if above := p.Sections[s.parent].Role; above == Aside || above == Proof || above == Goal {
			s.Role = above
		}
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

// choose finds the form of the page, from what is surest.
func (p *Page) choose() {
	forms := []struct {
		mark Mark
		is   func() bool
	}{
		{Boxes, func() bool { return p.boxed() && p.ordered(counted) }},
		{Numbers, func() bool { return p.ordered(counted) }},
		{Numbers, func() bool { return p.works(Numbers, 2) && !p.works(Boxes, 1) && p.lists(2, Work) }},
		{Boxes, func() bool { return p.lists(1, Open, Work) }},
		{Numbers, func() bool { return p.parts(2) }},
		{Numbers, func() bool { return p.lists(1, Work) }},
		{Bullets, func() bool { return p.lists(1, Work) }},
		{Numbers, func() bool { return p.parts(1) }},
		{Numbers, func() bool { return p.ordered(ordinal) }},
		{Numbers, func() bool { return p.lists(2, Open) }},
		{nested, func() bool { return p.lists(1, Open, Work) }},
		{Bullets, p.groups},
	}
	for _, f := range forms {
		if p.Mark = f.mark; f.is() {
			break
		}
	}
	if p.Mark == nested {
		p.Mark = Boxes
	}
}

// isWork reports whether a section is work, of one of some roles: what its heading
// does not say, a heading above it may.
func (p *Page) isWork(n int, roles ...Role) bool {
	is := p.Sections[n].Role
	if is == Open && p.under(n) {
		is = Work
	}
	for _, r := range roles {
		if r == is {
			return true
		}
	}
	return false
}

// under reports whether a section is part of one that is called work.
func (p *Page) under(n int) bool {
	for n = p.Sections[n].parent; n >= 0; n = p.Sections[n].parent {
		if p.Sections[n].Role == Work {
			return true
		}
	}
	return false
}

// lists takes the items of the page's mark, where there are so many, in sections of
// some roles: as tasks where one section has them all, else as steps of their
// sections.
func (p *Page) lists(least int, roles ...Role) bool {
	found, items := []int(nil), 0
	for n, s := range p.Sections {
		if s.count[p.Mark] > 0 && p.isWork(n, roles...) {
			found, items = append(found, n), items+s.count[p.Mark]
		}
	}
	if items < least {
		return false
	}
	for _, n := range found {
		p.Listed[n] = true
		p.Heads[n] = len(found) > 1 && p.Sections[n].Level > 0
	}
	return true
}

// boxed reports whether headings that count have boxes below them, which are
// their steps then.
func (p *Page) boxed() bool {
	return slices.ContainsFunc(p.Sections, func(s Section) bool {
		return s.count[Boxes] > 0 && counted.MatchString(s.Text)
	})
}

// works reports whether a section that is called work has so many items itself.
func (p *Page) works(m Mark, least int) bool {
	return slices.ContainsFunc(p.Sections, func(s Section) bool { return s.Role == Work && s.count[m] >= least })
}

// ordered takes headings with a number as tasks, the highest of which there are
// two.
func (p *Page) ordered(number *lazyre.Regexp) bool {
	return p.level(func(n int, s Section) bool {
		return s.Role == Open && p.isWork(n, Open, Work) && number.MatchString(s.Text)
	})
}

// groups takes headings that have bullets and do not say what else they are for,
// the highest below the title of which there are two.
func (p *Page) groups() bool {
	return p.level(func(_ int, s Section) bool { return s.Level > 1 && s.Role == Open && s.count[Bullets] > 0 })
}

// level takes the headings that are wanted, of the highest level that has two.
func (p *Page) level(wanted func(n int, s Section) bool) bool {
	var at [7][]int
	for n, s := range p.Sections {
		if wanted(n, s) {
			at[s.Level] = append(at[s.Level], n)
		}
	}
	for _, found := range at {
		if len(found) > 1 {
			p.take(found)
			return true
		}
	}
	return false
}

// parts takes the headings directly below one that is called work.
func (p *Page) parts(least int) bool {
	var found []int
	for n, s := range p.Sections {
		if s.Role == Open && s.parent >= 0 && p.Sections[s.parent].Role == Work {
			found = append(found, n)
		}
	}
	if len(found) < least {
		return false
	}
	p.take(found)
	return true
}

// take has headings be tasks; a numbered list of at least two items below one is
// its steps.
func (p *Page) take(found []int) {
	for _, n := range found {
		items := p.Sections[n].count[p.Mark]
		p.Heads[n] = true
		p.Listed[n] = p.Mark == Numbers && items > 1 || p.Mark == Boxes && items > 0
	}
}

// HasWork reports whether anything of the page is work.
func (p *Page) HasWork() bool { return len(p.Heads)+len(p.Listed) > 0 }

// Head is the task that a section is, or is part of; -1 for none.
func (p *Page) Head(n int) int {
	for ; n >= 0; n = p.Sections[n].parent {
		if p.Heads[n] {
			return n
		}
	}
	return -1
}

// Title is what a section is called, without its number.
func (s Section) Title() string {
	text := Plain(s.Text)
	if rest := strings.TrimSpace(ordinal.ReplaceAllString(text, "")); rest != "" {
		text = rest
	}
	return text
}

// Plain is a title without bold face, and without a colon at its end.
func Plain(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "**", ""))
	return strings.TrimRight(text, ":")
}
