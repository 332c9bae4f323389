package restore

import (
	"context"
	"io"
	"time"

	"github.com/planlock/planlock/ledger"
)

// Contents is where the contents of files come from.
type Contents interface {
	// Lacks says why a content cannot be had, nil if it can. An error means
	// that nobody knows.
	Lacks(ctx context.Context, d ledger.Digest) (why, err error)
	// Open opens a content. Reading it ends with an error unless it has the
	// digest and the size.
	Open(ctx context.Context, d ledger.Digest, size int64) (io.ReadCloser, error)
}

// A plan is what has to be done so that have becomes want.
type plan struct {
	want, have *ledger.Tree
	unread     map[string]bool // paths of have of which nobody knows what they hold
	remove     []ledger.Entry  // of have, sorted
	mend       []mending       // sorted
}

// A mending is an entry of want that have does not have like that.
type mending struct {
	ledger.Entry
	content bool // kind, content or target differ
}

// planned compares want and have.
func planned(want, have *ledger.Tree) plan {
	p := plan{want: want, have: have, unread: map[string]bool{}}
	for _, path := range have.Unread() {
		p.unread[path] = true
	}
	if len(p.unread) == 0 {
		p.compareKnown()
	} else {
		p.compareAll()
	}
	return p
}

// compareAll looks at every entry, since what was not read may be anything.
func (p *plan) compareAll() {
	for h := range p.have.All() {
		if e, ok := p.want.Lookup(h.Path); (!ok || e.Kind != h.Kind) && !p.leaveAlone(h.Path) {
			p.remove = append(p.remove, h)
		}
	}
	for e := range p.want.All() {
		if p.leaveAlone(e.Path) {
			continue
		}
		h, ok := p.have.Lookup(e.Path)
		switch {
		case !ok || p.unread[e.Path] || differ(h, e):
			p.mend = append(p.mend, mending{e, true})
		// The content is there: only what stands about it is mended, without
		// reading or writing it.
		case e.Mode != h.Mode || !e.ModTime.Equal(h.ModTime):
			p.mend = append(p.mend, mending{e, false})
		}
	}
}

// compareKnown compares trees of which all is known: what both share is not
// looked at.
func (p *plan) compareKnown() {
	for _, c := range ledger.Touched(p.have, p.want) {
		h, e := c.Before, c.After
		if p.leaveAlone(c.Path) {
			continue
		}
		// What changes its kind is removed first, and then made.
		if e == nil || h != nil && h.Kind != e.Kind {
			p.remove = append(p.remove, *h)
		}
		if e != nil {
			p.mend = append(p.mend, mending{*e, h == nil || differ(*h, *e)})
		}
	}
}

// leaveAlone reports whether a path is only tracked, so that no store holds it.
func (p *plan) leaveAlone(path string) bool { return p.want.Tracked(path) || p.have.Tracked(path) }

// differ reports whether two entries differ in more than mode and time.
func differ(h, e ledger.Entry) bool {
	e.Mode, e.ModTime, h.Mode, h.ModTime = 0, time.Time{}, 0, time.Time{}
	return !h.Same(e)
}
