package page

import "slices"

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
	return slices.Contains(roles, is)
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
