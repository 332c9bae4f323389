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

// own makes a copy of what prior has.
func (v *visit) own() {
	if v.found == nil {
		v.found, v.marks = slices.Clone(v.prior.Entries()), slices.Clone(v.prior.marks)
	}
}

// A node is what a scan keeps of one folder for the next scan: the folder as
// the tree has it, and the stamps of all in it. It never changes once it is
// sealed, and scans share the nodes that are the same in both.
type node struct {
	*ledger.Folder
	subs   []*node // beside those of the folder
	status status  // of the folder, taken before its names
	marks  []mark  // beside the entries
	unread int     // entries in the folder and below that could not be read
	named  bool    // a folder at the level Stamps
}

// A mark is what a scan keeps of an entry for the next one.
type mark struct {
	status status
	unread bool // it is not known what it holds
	named  bool // only its name was looked at
}

// sub is the folder that the entry i stands for.
func (n *node) sub(i int) *node {
	k, _ := slices.BinarySearch(n.Dirs(), int32(i))
	return n.subs[k]
}

// count counts the entries that could not be read, in a node whose folders are
// counted.
func (n *node) count() {
	n.unread = 0
	for i := range n.marks {
		if n.marks[i].unread {
			n.unread++
		}
	}
	for _, sub := range n.subs {
		n.unread += sub.unread
	}
}

// unreadPaths appends the paths below n that could not be read.
func (n *node) unreadPaths(paths []string) []string {
	if n.unread == 0 {
		return paths
	}
	entries := n.Entries()
	for i := range n.marks {
		if n.marks[i].unread {
			paths = append(paths, entries[i].Path)
		}
	}
	for _, sub := range n.subs {
		paths = sub.unreadPaths(paths)
	}
	return paths
}
