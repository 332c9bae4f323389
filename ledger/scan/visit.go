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
