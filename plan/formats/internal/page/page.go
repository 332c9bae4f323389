// Package page finds what of a Markdown text that no tool wrote is work: which of
// its headings, and which items of its lists, somebody is to carry out, and what
// the rest is for.
//
// Where there are checkboxes, these are it. Else it is headings such as "Step 2:
// Write the test"; else the headings, the numbered list, the bullets or the table
// below a heading such as "Implementation"; else headings with numbers; else a
// table of tasks or a numbered list; else headings that have bullets and do not say
// that they are for anything else; else the one list of bullets. Items that stand
// below several headings are parts of those, and so are headings with numbers below
// a heading that is a task.
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
	Steps    map[int]bool // sections that are steps of the head above
	Rows     map[int]Row  // of tables of tasks, by their lines
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
	Done       bool   // the heading says that it is
	parent     int    // the section that it is part of, -1
	count      [5]int // items, by their marks
	counts     bool   // the heading counts what is to be done
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
	Table               // a row of a table of tasks
	nested              // "- [ ]" below another item; to readers, Boxes
)

var (
	// counted is a heading that counts what is to be done, "Step 2: …".
	counted = lazyre.New(`^(?:\*\*)?(?i:step|phase|task|part|stage|milestone|change|commit|pr)\s+#?\d`)
	// ordinal is a number before the text of a heading, "Step 2:" or "3.".
	ordinal = lazyre.New(`^(?:(?i:step|phase|task|part|stage|milestone|change|commit|pr)\s+#?\d+(?:\.\d+)*[a-z]?\b\s*[:.)–—-]?|\d+(?:\.\d+)+[.):]?|\d+[.):])\s*(?:[–—-]\s+)?`)
	// ornament is what people put before and behind words of a heading.
	ornament = lazyre.New(`^[^\pL\d]+|[^\pL\d)]+$`)
	// finished is a heading that says that its work is done.
	finished = lazyre.New(`(?i)(?:[✅☑✔]\x{fe0f}?|\[x\]|\((?:done|complete|completed)\)|\s[–—-]\s*(?:done|complete|completed))\W*$`)
	// strong is a line in bold face.
	strong = lazyre.New(`^\*\*([^*]{1,60})\*\*:?[ \t]*$`)
	// underline is what stands below a heading of the form of "Text" with a line
	// below it.
	underline = lazyre.New(`^ {0,3}(?:={2,}|-{3,})[ \t]*$`)
)

// Of cuts a text into sections, and finds what of it is work. Its heads and
// lists are empty where nothing is.
func Of(t *outline.Text) Page {
	p := Page{Heads: map[int]bool{}, Listed: map[int]bool{}, Steps: map[int]bool{}, Rows: map[int]Row{}}
	p.cut(t)
	p.choose()
	return p
}

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

// choose finds the form of the page, from what is surest.
func (p *Page) choose() {
	forms := []struct {
		mark Mark
		is   func() bool
	}{
		{Boxes, func() bool { return p.boxed() && p.ordered(Section.isCounted) && p.boxes() }},
		{Numbers, func() bool { return p.ordered(Section.isCounted) }},
		{Numbers, func() bool { return p.works(Numbers, 2) && !p.works(Boxes, 1) && p.lists(2, Work) }},
		{Boxes, func() bool { return p.lists(1, Open, Work) }},
		{Numbers, func() bool { return p.parts(2) }},
		{Numbers, func() bool { return p.lists(1, Work) }},
		{Bullets, func() bool { return p.lists(1, Work) }},
		{Table, func() bool { return p.lists(1, Work) }},
		{Numbers, func() bool { return p.parts(1) }},
		{Numbers, func() bool { return p.ordered(Section.isOrdered) }},
		{Table, func() bool { return p.lists(2, Open) }},
		{Numbers, func() bool { return p.lists(2, Open) }},
		{nested, func() bool { return p.lists(1, Open, Work) }},
		{Bullets, p.groups},
		{Bullets, p.alone},
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
		return s.count[Boxes] > 0 && s.counts
	})
}

// boxes takes the boxes of sections besides those that count, too: below one of
// these they are its steps.
func (p *Page) boxes() bool {
	for n, s := range p.Sections {
		if s.count[Boxes] > 0 && p.isWork(n, Open, Work) {
			p.Heads[n] = p.Heads[n] || p.Head(n) < 0 && s.Level > 0
			p.Listed[n] = true
		}
	}
	return true
}

// works reports whether a section that is called work has so many items itself.
func (p *Page) works(m Mark, least int) bool {
	return slices.ContainsFunc(p.Sections, func(s Section) bool { return s.Role == Work && s.count[m] >= least })
}

// isCounted reports whether a heading counts what is to be done.
func (s Section) isCounted() bool { return s.counts }

// isOrdered reports whether a heading has a number.
func (s Section) isOrdered() bool { return s.counts || ordinal.MatchString(s.Text) }

// ordered takes headings with a number as tasks, the highest of which there are
// two.
func (p *Page) ordered(has func(Section) bool) bool {
	return p.level(func(n int, s Section) bool { return s.Role == Open && p.isWork(n, Open, Work) && has(s) })
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

// alone takes the bullets of a page whose one list of bullets below a heading they
// are, where it says nothing else that could be work.
func (p *Page) alone() bool {
	found := -1
	for n, s := range p.Sections {
		if s.count[Bullets] > 0 && p.isWork(n, Open, Work) {
			if found >= 0 {
				return false
			}
			found = n
		}
	}
	if found < 0 || p.Sections[found].Level < 2 || p.Sections[found].count[Bullets] < 2 {
		return false
	}
	p.Listed[found] = true
	return true
}

// take has headings be tasks. Headings with numbers below one are its steps; else
// a numbered list of at least two items is, its own or that of a part of it that is
// called work.
func (p *Page) take(found []int) {
	for _, n := range found {
		p.Heads[n] = true
	}
	p.parted()
	for _, n := range found {
		if slices.ContainsFunc(p.within(n), func(m int) bool { return p.Steps[m] }) {
			continue
		}
		from := n
		for _, m := range p.within(n) {
			if s := p.Sections[m]; p.Mark == Numbers && s.Role == Work && s.count[Numbers] > 1 {
				from = m
			}
		}
		items := p.Sections[from].count[p.Mark]
		p.Listed[from] = p.Mark == Numbers && items > 1 || p.Mark == Boxes && items > 0
	}
}

// parted takes the headings directly below tasks that count or have numbers as
// steps of these, where there are two, unless the steps are boxes.
func (p *Page) parted() {
	var steps []int
	for n := range p.Sections {
		for _, m := range p.within(n) {
			if s := p.Sections[m]; p.Heads[n] && s.Role == Open && s.isOrdered() {
				steps = append(steps, m)
			}
		}
	}
	for _, n := range steps {
		p.Steps[n] = p.Mark != Boxes && len(steps) > 1
	}
}

// within are the sections directly below one.
func (p *Page) within(n int) (list []int) {
	for m := n + 1; m < len(p.Sections) && p.Sections[m].Level > p.Sections[n].Level; m++ {
		if p.Sections[m].parent == n {
			list = append(list, m)
		}
	}
	return list
}

// HasWork reports whether anything of the page is work.
func (p *Page) HasWork() bool { return len(p.Heads)+len(p.Listed) > 0 }

// Title is the section that gives the page its title: the first of the highest
// level, or the only one of the second; nil: there is none.
func (p *Page) Title() (title *Section) {
	seconds := 0
	for n := range p.Sections {
		switch s := &p.Sections[n]; {
		case s.Level == 1:
			return s
		case s.Level == 2:
			seconds++
			title = s
		}
	}
	if seconds > 1 {
		return nil
	}
	return title
}

// Head is the task that a section is, or is part of; -1 for none.
func (p *Page) Head(n int) int {
	for ; n >= 0; n = p.Sections[n].parent {
		if p.Heads[n] {
			return n
		}
	}
	return -1
}

// Step reports whether a section is a step of the task that it is part of, or is
// part of one.
func (p *Page) Step(n int) bool {
	for ; n >= 0 && !p.Heads[n]; n = p.Sections[n].parent {
		if p.Steps[n] {
			return true
		}
	}
	return false
}

// Left is how many checkboxes of a section are not work, although nothing says
// that they are for anything else. Those below other items are text of these.
func (p *Page) Left(n int) int {
	if s := p.Sections[n]; s.Role <= Work && s.count[Boxes] > 0 && (!p.Listed[n] || p.Mark != Boxes) {
		return s.count[Boxes] + s.count[nested]
	}
	return 0
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
