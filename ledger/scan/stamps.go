package scan

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan/internal/uptime"
)

// What a scan believed dies with its process, unless it is spelled: in numbers
// of a fixed size, most significant byte first, in unsigned varints where it
// says so, and in texts, which are a varint with their length and their bytes.
//
//	"planlock.stamps", a zero byte, the version (2 bytes)
//	life, clock, folder     texts: the life of the machine, the clock in it, and the path of the folder
//	device, inode, number   8 bytes each: of the folder, and what statfs(2) calls its file system
//	scope                   the four lists of a Scope, each a varint with their number and as many texts
//
// All that must be the same. Then comes what is believed:
//
//	start               8 bytes of seconds since 1970 and 4 of nanoseconds, then twice 8 bytes of nanoseconds:
//	                    an uptime
//	grain               1 byte
//	entries, folders    varints: of the tree as a whole, the root a folder too
//	the root            a folder
//
// A folder is its status, a byte that is 1 at the level Stamps and else 0,
// varints with the numbers of its entries and of the folders among them, and
// the entries, sorted by name. An entry is the first letter of its kind, a byte
// of marks (1: not read, 2: only its name was looked at), and its whole path as
// text. Then for
//
//	a folder   the folder
//	a file     status, and the digest as it is written everywhere
//	a link     status, and its target as text
//	the rest   status, but not where only the name was looked at
//
// A status is dev, ino, size, changed and modified (8 bytes each), nanoseconds
// of both, and mode (4 bytes each). The mode, size and time of an entry follow
// from it.
const (
	stampsMagic   = "planlock.stamps\x00"
	stampsVersion = 1

	statusSize = 5*8 + 3*4
	digestHead = "sha256:"
	digestSize = len(digestHead) + 2*sha256.Size

	markUnread = 1
	markNamed  = 2
)

// Stamps spells a tree, which was scanned from dir, with all that its next scan
// may believe: so that another process can begin with it, see [Scanner.Revive].
// life names the life of the machine, in which alone that holds.
//
// It is nil where a later process could believe nothing: where no scan made the
// tree, where stamps are not believed at all (see doc.go), where life is "",
// and on systems without a clock that counts from the start of the machine (all
// but Linux).
func Stamps(t *ledger.Tree, dir, life string) []byte {
	m := memoryOf(t)
	if m == nil || life == "" || !m.trust.usable || !m.trust.up.Known() {
		return nil
	}
	trust := m.trust
	if trust.grain == unprobed {
		trust.grain = probe(dir)
	}
	if trust.grain == misleading {
		return nil
	}
	b := make([]byte, 0, 4096+t.Len()*(statusSize+digestSize+64))
	b = appendStampsHeader(b, dir, life, &m.root.status, trust.fs, m.scanner.Scope)
	b = binary.BigEndian.AppendUint64(b, uint64(trust.start.Unix()))
	b = binary.BigEndian.AppendUint32(b, uint32(trust.start.Nanosecond()))
	b = binary.BigEndian.AppendUint64(b, uint64(trust.up.Before))
	b = binary.BigEndian.AppendUint64(b, uint64(trust.up.After))
	b = append(b, byte(trust.grain))
	b = binary.AppendUvarint(b, uint64(t.Len()))
	b = binary.AppendUvarint(b, uint64(m.root.folders()))
	w := stampsWriter{b: b}
	w.folder(m.root)
	if w.odd {
		return nil
	}
	return w.b
}

// appendStampsHeader spells what must be the same when stamps are read back.
func appendStampsHeader(b []byte, dir, life string, top *status, fs uint64, scope ledger.Scope) []byte {
	b = binary.BigEndian.AppendUint16(append(b, stampsMagic...), stampsVersion)
	for _, text := range [...]string{life, uptime.ClockName(), dir} {
		b = appendText(b, text)
	}
	for _, n := range [...]uint64{top.dev, top.ino, fs} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	for _, list := range [...][]string{scope.Ignore, scope.Stamps, scope.Track, scope.Own} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, text := range list {
			b = appendText(b, text)
		}
	}
	return b
}

// folders counts n and those below it.
func (n *node) folders() int {
	count := 1
	for _, sub := range n.subs {
		count += sub.folders()
	}
	return count
}

// A stampsWriter spells folders.
type stampsWriter struct {
	b   []byte
	odd bool // something is not what its status says, so that reading it back would make something else of it
}

// folder writes a node and those in it, depth first. Where an entry is not what
// its status tells of it, odd is set: such a tree cannot be written.
func (w *stampsWriter) folder(n *node) {
	w.status(&n.status)
	w.b = append(w.b, bitIf(n.named, 1))
	entries := n.Entries()
	w.b = binary.AppendUvarint(w.b, uint64(len(entries)))
	w.b = binary.AppendUvarint(w.b, uint64(len(n.subs)))
	subs := n.subs
	for i := range entries {
		e, m := &entries[i], &n.marks[i]
		w.b = append(w.b, e.Kind[0], bitIf(m.unread, markUnread)|bitIf(m.named, markNamed))
		w.b = appendText(w.b, e.Path)
		if e.Kind == ledger.Dir {
			w.odd = w.odd || *m != mark{} || subs[0].status.entry(e.Path) != *e
			w.folder(subs[0])
			subs = subs[1:]
			continue
		}
		told, ok := m.entry(e.Path, e.Kind)
		told.Digest, told.Target = e.Digest, e.Target
		w.odd = w.odd || !ok || told != *e
		if !m.named {
			w.status(&m.status)
		}
		switch e.Kind {
		case ledger.File:
			w.b = append(w.b, e.Digest...)
		case ledger.Link:
			w.b = appendText(w.b, e.Target)
		}
	}
}

// status writes what moves when an entry changes.
func (w *stampsWriter) status(s *status) {
	for _, n := range [...]uint64{s.dev, s.ino, uint64(s.size), uint64(s.changed), uint64(s.modified)} {
		w.b = binary.BigEndian.AppendUint64(w.b, n)
	}
	for _, n := range [...]uint32{s.changedNs, s.modifiedNs, s.mode} {
		w.b = binary.BigEndian.AppendUint32(w.b, n)
	}
}

func bitIf(set bool, bit byte) byte {
	if set {
		return bit
	}
	return 0
}

// entry is what a mark says of an entry that is no folder: all but digest and
// target. It reports whether an entry of that kind can have that mark.
func (m *mark) entry(path string, kind ledger.Kind) (ledger.Entry, bool) {
	switch {
	case m.named:
		return ledger.Entry{Path: path, Kind: ledger.Special}, kind == ledger.Special && *m == mark{named: true}
	case m.unread && m.status.mode == 0:
		return ledger.Entry{Path: path, Kind: ledger.Special}, kind == ledger.Special && *m == mark{unread: true}
	case m.unread:
		e := m.status.entry(path)
		e.Kind, e.Size, e.Target = ledger.Special, 0, ""
		return e, kind == ledger.Special
	}
	return m.status.entry(path), kind != ledger.Dir && m.status.kind() == kind
}

func appendText(buf []byte, text string) []byte {
	return append(binary.AppendUvarint(buf, uint64(len(text))), text...)
}
