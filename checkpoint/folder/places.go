package folder

import (
	"bytes"
	"slices"
)

// places says where contents lie. The zero value is empty. There may be
// millions, so that each takes little: packs are numbered.
type places struct {
	at      map[sum]spot
	packs   []string
	numbers map[string]uint32 // of packs
}

// A spot is a place in a numbered pack.
type spot struct {
	place
	pack uint32
	sure bool
}

// put notes where a content lies.
func (p *places) put(key sum, w where) {
	n, ok := p.numbers[w.pack]
	if !ok {
		n = uint32(len(p.packs))
		p.packs = append(p.packs, w.pack)
		if p.numbers == nil {
			p.at, p.numbers = map[sum]spot{}, map[string]uint32{}
		}
		p.numbers[w.pack] = n
	}
	p.at[key] = spot{w.place, n, w.sure}
}

// find says where a content lies.
func (p *places) find(key sum) (where, bool) {
	s, ok := p.at[key]
	if !ok {
		return where{}, false
	}
	return p.where(s), true
}

func (p *places) where(s spot) where { return where{p.packs[s.pack], s.place, s.sure} }

func (p *places) len() int { return len(p.at) }

// all yields all of them, in any order.
func (p *places) all(yield func(sum, where) bool) {
	for key, s := range p.at {
		if !yield(key, p.where(s)) {
			return
		}
	}
}

// drop forgets what lies in a pack from an offset on.
func (p *places) drop(pack string, from int64) {
	n, ok := p.numbers[pack]
	if !ok {
		return
	}
	for key, s := range p.at {
		if s.pack == n && s.offset >= from {
			delete(p.at, key)
		}
	}
}

// parts is how many parts of all digests there are, in their order.
const parts = 16

// sorted are the digests of one part, sorted.
func (p *places) sorted(part int) []sum {
	var keys []sum
	for key := range p.at {
		if int(key[0])*parts>>8 == part {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b sum) int { return bytes.Compare(a[:], b[:]) })
	return keys
}
