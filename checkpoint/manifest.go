package checkpoint

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/planlock/planlock/ledger"
)

// A manifest is the blob that describes a snapshot: all entries of a tree, or
// what differs from the manifest of an earlier snapshot.
type manifest struct {
	tree    ledger.Digest  // identity of the tree it stands for
	base    ledger.Digest  // manifest that it changes; zero for a full one
	depth   uint64         // how many manifests lie under it
	weight  uint64         // bytes of the deltas under it, and of itself
	full    uint64         // bytes of the full manifest at the bottom
	removed []string       // sorted
	entries []ledger.Entry // sorted by path
	whole   *ledger.Tree   // instead of entries: all of it
}

// each yields the entries, sorted by path.
func (m *manifest) each() iter.Seq[ledger.Entry] {
	if m.whole != nil {
		return m.whole.All()
	}
	return slices.Values(m.entries)
}

// len is the number of entries.
func (m *manifest) len() int {
	if m.whole != nil {
		return m.whole.Len()
	}
	return len(m.entries)
}

const (
	manifestMagic   = "planlock/manifest"
	manifestVersion = 1
	maxDepth        = 32
)

var entryKinds = []ledger.Kind{ledger.File, ledger.Link, ledger.Dir, ledger.Special, ledger.Special}

// fifoKind is the place of those special entries that are known to be FIFOs.
const fifoKind = 4

// encode returns the bytes of m. Numbers are unsigned varints, texts are
// preceded by their length.
func (m *manifest) encode() ([]byte, error) {
	in := m.spelled()
	defer in.stop()
	return io.ReadAll(in)
}

// A spelling reads the bytes of a manifest: of one of a large tree there is
// never more than a piece in memory.
type spelling struct {
	next func() (ledger.Entry, bool)
	stop func() // is to be called
	b    []byte
	at   int // of b: where to go on
}

func (m *manifest) spelled() *spelling {
	s := &spelling{b: m.appendHead(nil)}
	s.next, s.stop = iter.Pull(m.each())
	return s
}

// Read implements io.Reader.
func (s *spelling) Read(p []byte) (n int, err error) {
	const piece = 32 << 10
	if s.at == len(s.b) {
		for s.b, s.at = s.b[:0], 0; len(s.b) < piece; {
			e, more := s.next()
			if !more {
				break
			}
			if s.b, err = appendEntry(s.b, e); err != nil {
				return 0, err
			}
		}
		if len(s.b) == 0 {
			return 0, io.EOF
		}
	}
	n = copy(p, s.b[s.at:])
	s.at += n
	return n, nil
}

// sum is the digest of the bytes of m, and how many that are.
func (m *manifest) sum() (ledger.Digest, uint64, error) {
	in := m.spelled()
	defer in.stop()
	digest, size, err := ledger.SumReader(in)
	return digest, uint64(size), err
}

// appendHead encodes all of m but its entries.
func (m *manifest) appendHead(b []byte) []byte {
	b = append(append(b, manifestMagic...), manifestVersion)
	b = appendText(b, string(m.tree))
	b = appendText(b, string(m.base))
	for _, n := range []uint64{m.depth, m.weight, m.full, uint64(len(m.removed))} {
		b = binary.AppendUvarint(b, n)
	}
	for _, p := range m.removed {
		b = appendText(b, p)
	}
	return binary.AppendUvarint(b, uint64(m.len()))
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// appendEntry encodes an entry: path, kind, mode and time, and behind them what
// only its kind has. A kind that no reader would know is an error.
func appendEntry(b []byte, e ledger.Entry) ([]byte, error) {
	kind := slices.Index(entryKinds, e.Kind)
	if kind < 0 {
		return nil, fmt.Errorf("checkpoint: %q: kind %q is not known", e.Path, e.Kind)
	}
	if e.Kind == ledger.Special && e.Target == ledger.FIFO {
		kind = fifoKind
	}
	b = appendText(b, e.Path)
	b = append(b, byte(kind))
	b = binary.AppendUvarint(b, uint64(ledger.UnixMode(e.Mode)))
	b = binary.AppendVarint(b, e.ModTime.Unix())
	b = binary.AppendUvarint(b, uint64(e.ModTime.Nanosecond()))
	switch e.Kind {
	case ledger.File:
		digest, err := e.Digest.Sum()
		if err != nil {
			return nil, err
		}
		b = binary.AppendUvarint(b, uint64(e.Size))
		b = append(b, digest[:]...)
	case ledger.Link:
		b = appendText(b, e.Target)
	}
	return b, nil
}

// difference finds what leads from old to tree; what both share is not looked
// at.
func difference(old, tree *ledger.Tree) *manifest {
	m := &manifest{tree: tree.Digest()}
	if old == nil {
		m.whole = tree
		return m
	}
	for _, c := range ledger.Touched(old, tree) {
		if c.Op == ledger.Deleted {
			m.removed = append(m.removed, c.Path)
		} else {
			m.entries = append(m.entries, *c.After)
		}
	}
	return m
}

// apply yields entries after the difference m.
func (m *manifest) apply(under iter.Seq2[ledger.Entry, error]) iter.Seq2[ledger.Entry, error] {
	return func(yield func(ledger.Entry, error) bool) {
		removed, added := m.removed, m.entries
		for e, err := range under {
			for err == nil && len(added) > 0 && added[0].Path < e.Path {
				if !yield(added[0], nil) {
					return
				}
				added = added[1:]
			}
			for len(removed) > 0 && removed[0] < e.Path {
				removed = removed[1:]
			}
			switch {
			case err != nil:
			case len(added) > 0 && added[0].Path == e.Path:
				e, added = added[0], added[1:]
			case len(removed) > 0 && removed[0] == e.Path:
				continue
			}
			if !yield(e, err) {
				return
			}
		}
		for _, e := range added {
			if !yield(e, nil) {
				return
			}
		}
	}
}
