package scan

import (
	"slices"
	"sync/atomic"

	"github.com/planlock/planlock/ledger"
)

// A visit is one folder in the course of a scan.
type visit struct {
	name   string
	up     *visit         // the folder that holds it; nil for the root
	at     int            // its entry there
	prior  *node          // what the prior scan knew of it, or nil
	like   *ledger.Folder // that may hold the same, or nil
	named  bool           // at the level Stamps
	placed bool           // up stays open until this folder is

	end    ending
	status status
	dir    folder
	users  atomic.Int32 // jobs, and folders to be opened, that need dir

	// What was found, sorted; without rows: what prior has.
	rows  []ledger.Row // those of entries that are gone have the kind absent
	names ledger.Names
	marks []mark
	links map[int]string // where those lead that are links; guarded by the walk
	fresh bool           // the names were listed; else they are those of prior

	subs  []*visit
	late  []*visit // folders that were none a moment before
	other *seen    // what stands there, if it is replaced
	node  *node
}

// path is where the folder lies, "" for the root.
func (v *visit) path() string {
	size := -1
	for at := v; at.up != nil; at = at.up {
		size += 1 + len(at.name)
	}
	if size < 0 {
		return ""
	}
	path := make([]byte, size)
	for at := v; at.up != nil; at = at.up {
		if size -= len(at.name); copy(path[size:], at.name) > 0 && size > 0 {
			size--
			path[size] = '/'
		}
	}
	return string(path)
}

// join is the path of what lies in the folder dir, "" for the root.
func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
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
	row    ledger.Row
	target string // of a link
	mark   mark
}

// is reports whether it is what was seen before.
func (s *seen) is(row *ledger.Row, target string, m *mark) bool {
	return s.row == *row && s.mark == *m && (s.row.Bits != ledger.RowLink || s.target == target)
}

// adopt takes over the names that the prior scan found.
func (v *visit) adopt() {
	p := v.prior
	if len(p.subs) == 0 {
		return
	}
	slab, names, rows := make([]visit, len(p.subs)), p.Names(), p.Rows()
	v.subs = make([]*visit, 0, len(p.subs))
	for i := range rows {
		if rows[i].Bits&ledger.RowKind == ledger.RowDir {
			k := len(v.subs)
			s := &slab[k]
			s.name, s.up, s.at, s.prior, s.named = names.At(i), v, i, p.subs[k], p.subs[k].named
			v.subs = append(v.subs, s)
		}
	}
}

// base is what is known of the entries before they are looked at.
func (v *visit) base() (ledger.Names, []ledger.Row, []mark) {
	if v.fresh {
		return v.names, v.rows, v.marks
	}
	return v.prior.Names(), v.prior.Rows(), v.prior.marks
}

// own makes a copy of what prior has.
func (v *visit) own() {
	if v.rows != nil {
		return
	}
	v.names, v.rows, v.marks = v.prior.Names(), slices.Clone(v.prior.Rows()), slices.Clone(v.prior.marks)
	for _, l := range v.prior.Links() {
		v.link(l.At, l.Target)
	}
}

// share takes the entries of a folder that holds the same. Nothing may be looked
// for in v any more; folders in it would still be placed. Of an empty one there is
// nothing to share, and the rows of a tree that was read may be nil.
func (v *visit) share() {
	if v.like == nil || len(v.rows) == 0 || !v.fresh || len(v.subs)+len(v.late) > 0 {
		return
	}
	if names, rows := v.like.Names(), v.like.Rows(); v.names.Equal(names) && slices.Equal(v.rows, rows) {
		v.names, v.rows = names, rows
	}
}

// link notes where the entry i leads.
func (v *visit) link(i int, target string) {
	if v.links == nil {
		v.links = map[int]string{}
	}
	v.links[i] = target
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

// sub is the folder that the entry i stands for; nil if it is none.
func (n *node) sub(i int) *node {
	if n.Rows()[i].Bits&ledger.RowKind != ledger.RowDir {
		return nil
	}
	return n.subs[n.Sub(i)]
}

// count counts the entries that could not be read, in a node whose folders are
// counted.
func (n *node) count() {
	n.unread = 0
	for i := range n.marks {
		if n.marks[i].has(unread) {
			n.unread++
		}
	}
	for _, sub := range n.subs {
		n.unread += sub.unread
	}
}

// unreadPaths appends the paths below n, which lies at dir, that could not be
// read.
func (n *node) unreadPaths(dir string, paths []string) []string {
	if n.unread == 0 {
		return paths
	}
	names := n.Names()
	for i := range n.marks {
		if n.marks[i].has(unread) {
			paths = append(paths, join(dir, names.At(i)))
		}
		if sub := n.sub(i); sub != nil {
			paths = sub.unreadPaths(join(dir, names.At(i)), paths)
		}
	}
	return paths
}
