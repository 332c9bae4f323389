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

import "github.com/planlock/planlock/plan/formats/internal/outline"

// A Page is what is known of such a text.
type Page struct {
	Sections []Section
	Heads    map[int]bool // sections that are tasks, by their index
	Listed   map[int]bool // sections whose items are tasks, or steps of the section
	Steps    map[int]bool // sections that are steps of the head above
	Rows     map[int]Row  // of tables of tasks, by their lines
	Mark     Mark         // of those items
}

// A Mark is what an item of a list begins with.
type Mark int

const (
	Boxes   Mark = iota // "- [ ]"
	Numbers             // "1."
	Bullets             // "-"
	Table               // a row of a table of tasks
	nested              // "- [ ]" below another item; to readers, Boxes
)

// Of cuts a text into sections, and finds what of it is work. Its heads and
// lists are empty where nothing is.
func Of(t *outline.Text) Page {
	p := Page{Heads: map[int]bool{}, Listed: map[int]bool{}, Steps: map[int]bool{}, Rows: map[int]Row{}}
	p.cut(t)
	p.choose()
	return p
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
