package scan

import (
	"maps"
	"slices"

	"github.com/planlock/planlock/ledger"
)

// put notes what was seen of an entry. Readers put different ones at the same
// time.
func (w *walk) put(v *visit, i int, s seen) {
	isLink := s.row.Bits == ledger.RowLink
	if !v.fresh || isLink {
		w.mu.Lock()
		defer w.mu.Unlock()
	}
	if !v.fresh {
		v.own()
	}
	v.rows[i], v.marks[i] = s.row, s.mark
	if isLink {
		v.link(i, s.target)
	}
}

// target is where the entry i led before it was looked at.
func (w *walk) target(v *visit, i int) string {
	if !v.fresh {
		return v.prior.Target(i)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return v.links[i]
}

// build makes the node of a folder that was read, or finds that it is the prior
// one.
func (w *walk) build(v *visit) *node {
	p := v.prior
	if v.node != nil {
		return v.node // it was not looked at
	}
	same := p != nil && v.rows == nil && len(v.late) == 0 && v.status == p.status && v.named == p.named
	for k, sub := range v.subs {
		if sub.end == read {
			sub.node = w.build(sub)
		}
		same = same && sub.node == p.subs[k]
	}
	if same {
		return p
	}
	subs := v.subs
	for _, sub := range v.late {
		if sub.end == read {
			sub.node = w.build(sub)
		}
	}
	if len(v.late) > 0 {
		subs = slices.Concat(v.subs, v.late)
		slices.SortFunc(subs, func(a, b *visit) int { return a.at - b.at })
	}
	for _, sub := range subs {
		v.place(sub)
	}
	n := &node{status: v.status, named: v.named}
	var folders []*ledger.Folder
	n.subs, folders = nodesOf(subs)
	if v.rows == nil {
		n.marks = p.marks
		n.Folder = w.sealer.Folder(p.Names(), p.Rows(), p.Links(), folders)
	} else {
		v.compact()
		n.marks = v.marks
		n.Folder = w.sealer.Folder(v.names, v.rows, v.linked(), folders)
	}
	n.count()
	return n
}

// place sets the entry that stands for a folder to what became of that.
func (v *visit) place(sub *visit) {
	s := seen{row: ledger.Row{Bits: absent}}
	switch sub.end {
	case read:
		s.row = sub.status.row()
	case replaced:
		s = *sub.other
	}
	rows, marks := v.rows, v.marks
	if rows == nil {
		rows, marks = v.prior.Rows(), v.prior.marks
	}
	was := rows[sub.at]
	if was.Bits&ledger.RowKind == ledger.RowDir {
		was.Size = 0
	}
	if s.is(&was, "", &marks[sub.at]) {
		return
	}
	v.own()
	v.rows[sub.at], v.marks[sub.at] = s.row, s.mark
	if s.row.Bits == ledger.RowLink {
		v.link(sub.at, s.target)
	}
}

// compact drops the entries that are absent, and what is known of them.
func (v *visit) compact() {
	gone := func(r ledger.Row) bool { return r.Bits == absent }
	if !slices.ContainsFunc(v.rows, gone) {
		return
	}
	var names ledger.Namer
	kept := 0
	for i, r := range v.rows {
		target, isLink := v.links[i]
		delete(v.links, i)
		if gone(r) {
			continue
		}
		names.Add([]byte(v.names.At(i)))
		v.rows[kept], v.marks[kept] = r, v.marks[i]
		if isLink {
			v.links[kept] = target
		}
		kept++
	}
	v.names, v.rows, v.marks = names.Names(), v.rows[:kept], v.marks[:kept]
}

// linked is where those entries lead that are links.
func (v *visit) linked() (links []ledger.Linked) {
	for _, i := range slices.Sorted(maps.Keys(v.links)) {
		if v.rows[i].Bits == ledger.RowLink { // else it was one
			links = append(links, ledger.Linked{At: i, Target: v.links[i]})
		}
	}
	return links
}

// nodesOf are the nodes of subs, which are sorted, and may hold some that are
// no folders any more.
func nodesOf(subs []*visit) ([]*node, []*ledger.Folder) {
	count := 0
	for _, sub := range subs {
		if sub.end == read {
			count++
		}
	}
	if count == 0 {
		return nil, nil
	}
	nodes, folders := make([]*node, 0, count), make([]*ledger.Folder, 0, count)
	for _, sub := range subs {
		if sub.end == read {
			nodes, folders = append(nodes, sub.node), append(folders, sub.node.Folder)
		}
	}
	return nodes, folders
}
