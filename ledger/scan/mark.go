package scan

import "github.com/planlock/planlock/ledger"

// A mark is what a scan keeps of an entry for the next one, besides its row:
// what a status has that a row has not. That of a folder is zero, since the
// node keeps its status.
type mark struct {
	ino       uint64
	changed   int64
	changedNs uint32
	marks     marks
}

// marks are what is known of an entry.
type marks uint8

const (
	looked    marks = 1 << iota // there is a status
	unread                      // it is not known what it holds
	named                       // only its name was looked at
	elsewhere                   // it lies on another file system than the root
)

// mark is what is kept of a status; root is the file system of the root.
func (s *status) mark(root uint64) mark {
	m := mark{ino: s.ino, changed: s.changed, changedNs: s.changedNs, marks: looked}
	if s.dev != root {
		m.marks |= elsewhere
	}
	return m
}

func (m *mark) has(what marks) bool { return m.marks&what != 0 }

// equals reports whether an entry with that row and mark, which lies on the file
// system of the root, looks now as it did then.
func (m *mark) equals(r *ledger.Row, now *status) bool {
	return m.marks == looked && m.ino == now.ino && m.changed == now.changed && m.changedNs == now.changedNs &&
		r.Seconds == now.modified && r.Nanos == now.modifiedNs && r.Bits == now.bits() &&
		(r.Bits&ledger.RowKind != ledger.RowFile || r.Size == now.size)
}

// bits are those of a row.
func (s *status) bits() uint16 {
	switch s.mode & modeKind {
	case modeFile, modeDir, modeFIFO:
		return uint16(s.mode)
	case modeLink:
		return ledger.RowLink
	}
	return uint16(s.mode &^ modeKind)
}

// row is the row of an entry that looks like that, without what has to be read
// for it.
func (s *status) row() ledger.Row {
	r := ledger.Row{Seconds: s.modified, Nanos: s.modifiedNs, Bits: s.bits()}
	if s.kind() == ledger.File {
		r.Size = s.size
	}
	return r
}

// noRow is the row of an entry of which nothing but its kind is known, and
// absent that of one which is not there any more.
func noRow(kind ledger.Kind) ledger.Row {
	r := ledger.Row{Seconds: -62135596800} // the zero time
	switch kind {
	case ledger.File:
		r.Bits = ledger.RowFile
	case ledger.Link:
		r.Bits = ledger.RowLink
	case ledger.Dir:
		r.Bits = ledger.RowDir
	}
	return r
}

const absent = ledger.RowKind
