package scan

import (
	"slices"

	"github.com/planlock/planlock/ledger"
)

// put notes what was seen of an entry. Readers put different ones at the same
// time.
func (w *walk) put(v *visit, i int, s seen) {
	if !v.fresh {
		w.mu.Lock()
		defer w.mu.Unlock()
		v.own()
	}
	v.found[i], v.marks[i] = s.entry, s.mark
}

// build makes the node of a folder that was read, or finds that it is the prior
// one.
func (w *walk) build(v *visit) *node {
	p := v.prior
	if v.node != nil {
		return v.node // it was not looked at
	}
	same := p != nil && v.found == nil && len(v.late) == 0 && v.status == p.status && v.named == p.named
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
	n := &node{status: v.status, named: v.named, marks: v.marks}
	entries := v.found
	if entries == nil {
		entries, n.marks = p.Entries(), p.marks
	} else {
		entries, n.marks = compact(entries, n.marks)
	}
	var folders []*ledger.Folder
	n.subs, folders = nodesOf(subs)
	n.Folder = w.sealer.Folder(v.path, entries, folders)
	n.count()
	return n
}

// place sets the entry that stands for a folder to what became of that.
func (v *visit) place(sub *visit) {
	var s seen
	switch sub.end {
	case read:
		s.entry = sub.status.entry(sub.path)
	case replaced:
		s = *sub.other
	}
	entries, marks := v.found, v.marks
	if entries == nil {
		entries, marks = v.prior.Entries(), v.prior.marks
	}
	if entries[sub.at] == s.entry && marks[sub.at] == s.mark {
		return
	}
	v.own()
	v.found[sub.at], v.marks[sub.at] = s.entry, s.mark
}

// compact drops the entries that are absent, and their marks.
func compact(entries []ledger.Entry, marks []mark) ([]ledger.Entry, []mark) {
	absent := func(e ledger.Entry) bool { return e.Kind == "" }
	if !slices.ContainsFunc(entries, absent) {
		return entries, marks
	}
	kept := marks[:0]
	for i := range entries {
		if !absent(entries[i]) {
			kept = append(kept, marks[i])
		}
	}
	return slices.DeleteFunc(entries, absent), kept
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
