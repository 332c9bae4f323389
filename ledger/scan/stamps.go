package scan

import (
	"bufio"
	"encoding/binary"
	"io"

	"github.com/planlock/planlock/ledger"
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
// A folder is its status, a byte that is 1 at the level Stamps and else 0, a
// varint with the number of its entries, their names as texts, sorted, the
// entries, and the folders among them in the same order. An entry is the bits of
// its row (2 bytes), a byte of marks (1: there is a status, 2: not read, 4: only
// its name was looked at, 8: on another file system than the root), and where
// there is a status
//
//	modified        8 bytes of seconds and 4 of nanoseconds
//	inode           8 bytes
//	changed         as modified
//	and for a file  its size (8 bytes) and the 32 bytes of the digest of its content
//	for a link      its target as text
//
// but for what was not read. A status is dev, ino, size, changed and modified (8
// bytes each), nanoseconds of both, and mode (4 bytes each).
const (
	stampsMagic   = "planlock.stamps\x00"
	stampsVersion = 2

	statusSize = 5*8 + 3*4
	leastEntry = 3 + 2 // bytes of an entry with its name
)

// WriteStamps spells a tree, which was scanned from dir, with all that its next
// scan may believe: so that another process can begin with it, see
// [Scanner.Revive]. life names the life of the machine, in which alone that
// holds.
//
// It writes nothing, and reports false, where a later process could believe
// nothing: where no scan made the tree, where stamps are not believed at all
// (see doc.go), where life is "", and on systems without a clock that counts
// from the start of the machine (all but Linux). Memory does not grow with the
// tree.
func WriteStamps(to io.Writer, t *ledger.Tree, dir, life string) (bool, error) {
	m := memoryOf(t)
	if m == nil || life == "" || !m.trust.usable || !m.trust.up.known() {
		return false, nil
	}
	trust := m.trust
	if trust.grain == unprobed {
		trust.grain = probe(dir)
	}
	if trust.grain == misleading {
		return false, nil
	}
	b := appendStampsHeader(nil, dir, life, &m.root.status, trust.fs, m.scanner.Scope)
	b = appendTime(b, trust.start.Unix(), uint32(trust.start.Nanosecond()))
	b = binary.BigEndian.AppendUint64(b, uint64(trust.up.before))
	b = binary.BigEndian.AppendUint64(b, uint64(trust.up.after))
	b = append(b, byte(trust.grain))
	b = binary.AppendUvarint(b, uint64(t.Len()))
	b = binary.AppendUvarint(b, uint64(m.root.folders()))
	w := stampsWriter{out: bufio.NewWriterSize(to, 64<<10)}
	w.write(b)
	w.folder(m.root)
	return true, w.out.Flush() // which has the first error
}

// appendStampsHeader spells what must be the same when stamps are read back.
func appendStampsHeader(b []byte, dir, life string, top *status, fs uint64, scope ledger.Scope) []byte {
	b = binary.BigEndian.AppendUint16(append(b, stampsMagic...), stampsVersion)
	for _, text := range [...]string{life, clockName(), dir} {
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
	out *bufio.Writer
	b   []byte
}

// write writes, and keeps the first error for the end.
func (w *stampsWriter) write(b []byte) { _, _ = w.out.Write(b) }

// folder writes a node and those in it, depth first.
func (w *stampsWriter) folder(n *node) {
	names, rows := n.Names(), n.Rows()
	b := n.status.append(w.b[:0])
	b = append(b, 0)
	if n.named {
		b[len(b)-1] = 1
	}
	b = binary.AppendUvarint(b, uint64(len(rows)))
	for i := range rows {
		b = appendText(b, names.At(i))
	}
	for i := range rows {
		b = n.marks[i].append(b, &rows[i])
		if rows[i].Bits == ledger.RowLink {
			b = appendText(b, n.Target(i))
		}
	}
	w.b = b
	w.write(b)
	for _, sub := range n.subs {
		w.folder(sub)
	}
}

// append spells an entry.
func (m *mark) append(b []byte, r *ledger.Row) []byte {
	b = binary.BigEndian.AppendUint16(b, r.Bits)
	if b = append(b, byte(m.marks)); !m.has(looked) {
		return b
	}
	b = appendTime(b, r.Seconds, r.Nanos)
	b = binary.BigEndian.AppendUint64(b, m.ino)
	b = appendTime(b, m.changed, m.changedNs)
	if r.Kind() == ledger.File {
		b = binary.BigEndian.AppendUint64(b, uint64(r.Size))
		b = append(b, r.Sum[:]...)
	}
	return b
}

// append spells what moves when a folder changes.
func (s *status) append(b []byte) []byte {
	for _, n := range [...]uint64{s.dev, s.ino, uint64(s.size), uint64(s.changed), uint64(s.modified)} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	for _, n := range [...]uint32{s.changedNs, s.modifiedNs, s.mode} {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

func appendTime(b []byte, seconds int64, nanos uint32) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(b, uint64(seconds)), nanos)
}

func appendText(buf []byte, text string) []byte {
	return append(binary.AppendUvarint(buf, uint64(len(text))), text...)
}
