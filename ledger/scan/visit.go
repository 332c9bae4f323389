package scan

import (
	"slices"
	"sync/atomic"

	"github.com/planlock/planlock/ledger"
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

	found []ledger.Entry // sorted; nil: what prior has. An entry without a kind is absent.
	marks []mark         // beside found
	fresh bool           // found was listed; else it is a copy of what prior has
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
	entry ledger.Entry
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
		s.path, s.up, s.at, s.prior, s.named = p.Entries()[p.Dirs()[k]].Path, v, int(p.Dirs()[k]), sub, sub.named
		v.subs[k] = s
	}
}

// base is what is known of the entries before they are looked at.
func (v *visit) base() ([]ledger.Entry, []mark) {
	if v.fresh {
		return v.found, v.marks
	}
	return v.prior.Entries(), v.prior.marks
}

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

// own makes a copy of what prior has.
func (v *visit) own() {
	if v.found == nil {
		v.found, v.marks = slices.Clone(v.prior.Entries()), slices.Clone(v.prior.marks)
	}
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
