package checkpoint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint/internal/format"
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
	b := m.appendHead(nil, len(m.entries))
	for _, e := range m.entries {
		var err error
		if b, err = appendEntry(b, e); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// appendHead encodes all of m but its entries, which are so many.
func (m *manifest) appendHead(b []byte, entries int) []byte {
	b = append(append(b, manifestMagic...), manifestVersion)
	b = appendText(b, string(m.tree))
	b = appendText(b, string(m.base))
	for _, n := range []uint64{m.depth, m.weight, m.full, uint64(len(m.removed))} {
		b = binary.AppendUvarint(b, n)
	}
	for _, p := range m.removed {
		b = appendText(b, p)
	}
	return binary.AppendUvarint(b, uint64(entries))
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

var errManifest = errors.New("checkpoint: damaged manifest")

// decodeManifest reads what encode wrote.
func decodeManifest(b []byte) (*manifest, error) {
	if bytes.HasPrefix(b, []byte(format.OldMagic+"manifest")) {
		return nil, format.Old()
	}
	b, ok := bytes.CutPrefix(b, []byte(manifestMagic))
	if !ok || len(b) == 0 {
		return nil, fmt.Errorf("%w: it does not begin as a manifest", errManifest)
	}
	if b[0] != manifestVersion {
		return nil, fmt.Errorf("checkpoint: manifest: %w", format.Later(uint32(b[0])))
	}
	d := decoder{b: b[1:]}
	m := &manifest{tree: d.digest(), base: d.digest(), depth: d.number(), weight: d.number(), full: d.number()}
	for n := d.number(); n > 0 && d.ok(); n-- {
		m.removed = append(m.removed, d.text())
	}
	for n := d.number(); n > 0 && d.ok(); n-- {
		m.entries = append(m.entries, d.entry())
	}
	switch {
	case !d.ok():
		return nil, fmt.Errorf("%w: it is cut off or has a value that is out of range", errManifest)
	case len(d.b) > 0:
		return nil, fmt.Errorf("%w: something follows its last entry", errManifest)
	case m.base == "" && (m.depth > 0 || len(m.removed) > 0), m.base != "" && (m.depth == 0 || m.depth > maxDepth):
		return nil, fmt.Errorf("%w: its depth does not fit its base", errManifest)
	case !slices.IsSorted(m.removed) || !slices.IsSortedFunc(m.entries,
		func(a, b ledger.Entry) int { return strings.Compare(a.Path, b.Path) }):
		return nil, fmt.Errorf("%w: it is not sorted", errManifest)
	}
	return m, nil
}

// difference finds what leads from old to tree; what both share is not looked
// at.
func difference(old, tree *ledger.Tree) *manifest {
	m := &manifest{tree: tree.Digest()}
	if old == nil {
		m.entries = slices.AppendSeq(make([]ledger.Entry, 0, tree.Len()), tree.All())
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

// apply returns entries after the difference m.
func (m *manifest) apply(entries []ledger.Entry) []ledger.Entry {
	out := make([]ledger.Entry, 0, len(entries)+len(m.entries))
	removed, added := m.removed, m.entries
	for _, e := range entries {
		for len(added) > 0 && added[0].Path < e.Path {
			out, added = append(out, added[0]), added[1:]
		}
		for len(removed) > 0 && removed[0] < e.Path {
			removed = removed[1:]
		}
		switch {
		case len(added) > 0 && added[0].Path == e.Path:
			out, added = append(out, added[0]), added[1:]
		case len(removed) > 0 && removed[0] == e.Path:
		default:
			out = append(out, e)
		}
	}
	return append(out, added...)
}

// A decoder takes values off the front of b, until one is wrong.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) ok() bool { return !d.bad }

// number takes an unsigned number of variable length. Like all that a decoder
// takes it is zero from the first fault on, so that callers check once, at the
// end.
func (d *decoder) number() uint64 {
	n, k := binary.Uvarint(d.b)
	if d.bad = d.bad || k <= 0; d.bad {
		return 0
	}
	d.b = d.b[k:]
	return n
}

// signed takes a number that may be negative: times before 1970 are.
func (d *decoder) signed() int64 {
	n, k := binary.Varint(d.b)
	if d.bad = d.bad || k <= 0; d.bad {
		return 0
	}
	d.b = d.b[k:]
	return n
}

// take takes bytes as they are. They share the memory of the text.
func (d *decoder) take(n uint64) []byte {
	if d.bad = d.bad || n > uint64(len(d.b)); d.bad {
		return nil
	}
	taken := d.b[:n]
	d.b = d.b[n:]
	return taken
}

func (d *decoder) text() string { return string(d.take(d.number())) }

// digest takes a digest that may be left out.
func (d *decoder) digest() ledger.Digest {
	text := d.text()
	if text == "" {
		return ""
	}
	digest, err := ledger.ParseDigest(text)
	d.bad = d.bad || err != nil
	return digest
}

// entry takes what appendEntry wrote. What no entry can be, such as a mode with
// unknown bits, is a fault.
func (d *decoder) entry() (e ledger.Entry) {
	e.Path = d.text()
	kind := d.take(1)
	mode, seconds, nanos := d.number(), d.signed(), d.number()
	if d.bad = d.bad || int(kind[0]) >= len(entryKinds) || mode > 0o7777 || nanos >= 1e9; d.bad {
		return e
	}
	e.Kind, e.Mode, e.ModTime = entryKinds[kind[0]], ledger.FileMode(uint32(mode)), time.Unix(seconds, int64(nanos))
	switch e.Kind {
	case ledger.File:
		size := d.number()
		digest := d.take(uint64(len(format.Sum{})))
		if d.bad = d.bad || size > 1<<62; d.bad {
			return e
		}
		e.Size, e.Digest = int64(size), ledger.DigestOf(format.Sum(digest))
	case ledger.Link:
		e.Target = d.text()
	case ledger.Special:
		if kind[0] == fifoKind {
			e.Target = ledger.FIFO
		}
	}
	return e
}
