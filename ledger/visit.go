package ledger

import (
	"slices"
	"sync/atomic"
)

// A visit is one folder in the course of a scan.
type visit struct {
	path   string
	up     *visit // the folder that holds it; nil for the root
	at     int    // its entry there
	prior  *node  // what the prior scan knew of it, or nil
	named  bool   // at the level Stamps
	placed bool   // up stays open until this folder is

	end    ending
	status status
	dir    folder
	users  atomic.Int32 // jobs, and folders to be opened, that need dir

	found []Entry // sorted; nil: what prior has. An entry without a kind is absent.
	marks []mark  // beside found
	fresh bool    // found was listed; else it is a copy of what prior has
	subs  []*visit
	late  []*visit // folders that were none a moment before
	other *seen    // what stands there, if it is replaced
	node  *node
}

// An ending is what became of a visit.
type ending uint8

const (
	gone     ending = iota // there is nothing any more
	replaced               // something else stands there, or it cannot be read
	read                   // it is a folder, and was read
)

// A seen entry is what a reader saw of one.
type seen struct {
	entry Entry
	mark  mark
}

// adopt takes over the names that the prior scan found.
func (v *visit) adopt() {
	p := v.prior
	if len(p.subs) == 0 {
		return
	}
	slab := make([]visit, len(p.subs))
	v.subs = make([]*visit, len(p.subs))
	for k, sub := range p.subs {
		s := &slab[k]
		s.path, s.up, s.at, s.prior, s.named = p.entries[p.dirs[k]].Path, v, int(p.dirs[k]), sub, sub.named
		v.subs[k] = s
	}
}

// base is what is known of the entries before they are looked at.
func (v *visit) base() ([]Entry, []mark) {
	if v.fresh {
		return v.found, v.marks
	}
	return v.prior.entries, v.prior.marks
}

// put notes what was seen of an entry. Readers put different ones at the same time.
func (w *walk) put(v *visit, i int, s seen) {
	if !v.fresh {
		w.mu.Lock()
		defer w.mu.Unlock()
		v.own()
	}
	v.found[i], v.marks[i] = s.entry, s.mark
}

// own makes a copy of what prior has.
func (v *visit) own() {
	if v.found == nil {
		v.found, v.marks = slices.Clone(v.prior.entries), slices.Clone(v.prior.marks)
	}
}

// build makes the node of a folder that was read, or finds that it is the prior one.
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
	n := &node{status: v.status, named: v.named, entries: v.found, marks: v.marks}
	if v.path != "" {
		n.cut = len(v.path) + 1
	}
	if v.found == nil {
		n.entries, n.marks = p.entries, p.marks
	} else {
		n.compact()
	}
	n.link(subs)
	w.sealing = n.seal(w.sealing)
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
		entries, marks = v.prior.entries, v.prior.marks
	}
	if entries[sub.at] == s.entry && marks[sub.at] == s.mark {
		return
	}
	v.own()
	v.found[sub.at], v.marks[sub.at] = s.entry, s.mark
}

// compact drops the entries that are absent.
func (n *node) compact() {
	absent := func(e Entry) bool { return e.Kind == "" }
	if !slices.ContainsFunc(n.entries, absent) {
		return
	}
	marks := n.marks[:0]
	for i := range n.entries {
		if !absent(n.entries[i]) {
			marks = append(marks, n.marks[i])
		}
	}
	n.entries, n.marks = slices.DeleteFunc(n.entries, absent), marks
}

// link finds the folders among the entries; subs are sorted, and may hold some that are none.
func (n *node) link(subs []*visit) {
	count := 0
	for _, sub := range subs {
		if sub.end == read {
			count++
		}
	}
	if count == 0 {
		return
	}
	n.dirs, n.subs = make([]int32, 0, count), make([]*node, 0, count)
	for _, sub := range subs {
		if sub.end == read {
			n.subs = append(n.subs, sub.node)
		}
	}
	for i := range n.entries {
		if n.entries[i].Kind == Dir {
			n.dirs = append(n.dirs, int32(i))
		}
	}
}
