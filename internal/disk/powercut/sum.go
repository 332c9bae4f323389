package powercut

import (
	"hash/maphash"
	"io/fs"
	"iter"
	"maps"
	"slices"
)

// Sum tells states apart: what is left after two cuts is the same where it is
// the same, names, kinds, modes and contents. Sums of different seeds say
// nothing about each other.
func (c *Cut) Sum(seed maphash.Seed, choose Choice) uint64 {
	return c.image(choose).sum(seed)
}

// A Loss is a cut in which one operation alone is lost. It holds until the next
// one is asked for.
type Loss struct {
	Moment    int // of the cut
	Operation int // which was pending then
	left      image
}

// Sum is as Cut.Sum with Only(Operation).
func (l Loss) Sum(seed maphash.Seed) uint64 { return l.left.sum(seed) }

// Losses are all cuts in which one operation alone is lost, in the order of
// operations and then of moments. Their sums, of one seed, cost little.
func (t *Trace) Losses(seed maphash.Seed) iter.Seq[Loss] {
	return func(yield func(Loss) bool) {
		before := t.start.clone()
		for p, s := range t.steps {
			if t.since[p] > p+1 {
				img := before.clone()
				img.apply(s, Fate{Lost: true})
				for k := p + 1; k < t.since[p] && k <= len(t.steps); k++ {
					if !yield(Loss{k, p, img}) {
						return
					}
					if k < len(t.steps) {
						img.apply(t.steps[k], Fate{})
					}
				}
			}
			before.apply(s, Fate{})
			before.sum(seed) // which what is cloned from it then knows
		}
	}
}

// sum is what Cut.Sum returns.
func (img image) sum(seed maphash.Seed) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	img.add(&h, seed, root)
	return h.Sum64()
}

// add adds a node and all below it, in the order of names.
func (img image) add(h *maphash.Hash, seed maphash.Seed, at int) {
	n := img[at]
	maphash.WriteComparable(h, n.own(seed))
	for _, name := range slices.Sorted(maps.Keys(n.names)) {
		h.WriteString(name)
		h.WriteByte('/')
		img.add(h, seed, n.names[name])
	}
	h.WriteByte(0) // which no name has
}

// own is the sum of n but for its time and names.
func (n *node) own(seed maphash.Seed) uint64 {
	if n.known == nil {
		sum := maphash.Comparable(seed, struct {
			mode   fs.FileMode
			target string
			data   uint64
		}{n.mode, n.target, maphash.Bytes(seed, n.data)})
		n.known = &sum
	}
	return *n.known
}
