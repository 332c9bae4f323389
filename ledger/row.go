package ledger

import (
	"crypto/sha256"
	"time"
)

// A Row is what a tree keeps of an entry besides its name: of a fixed size and
// without pointers, so that a tree of a million entries is small, and takes the
// garbage collector no time. The target of a link is kept beside the rows.
//
// The zero value stands for a special entry without any permission.
type Row struct {
	Sum     [sha256.Size]byte // of a file's content; zero for all else
	Size    int64             // of a file's content; of all else nothing that belongs to the entry
	Seconds int64             // since 1970 of the last modification
	Nanos   uint32            // of the same
	Bits    uint16            // kind and mode, as stat(2) has them; of links the kind alone
}

// The kinds in the bits of a [Row], as in stat(2). What is none of these is
// special: of that it is not kept what it is.
const (
	RowKind = 0o170000
	RowFile = 0o100000
	RowLink = 0o120000
	RowDir  = 0o040000
	RowFIFO = 0o010000
)

// Kind is what stands there.
func (r *Row) Kind() Kind {
	switch r.Bits & RowKind {
	case RowFile:
		return File
	case RowLink:
		return Link
	case RowDir:
		return Dir
	}
	return Special
}

// same reports whether two rows are the same in all that belongs to the
// identity of a tree, but for the targets of links and what folders hold.
func (r *Row) same(o *Row) bool {
	kind := r.Kind()
	if kind != o.Kind() || (r.Bits^o.Bits)&^RowKind != 0 {
		return false
	}
	return kind != File || r.Size == o.Size && r.Sum == o.Sum
}

// SameTime reports whether both were modified at the same time.
func (r *Row) SameTime(o *Row) bool { return r.Seconds == o.Seconds && r.Nanos == o.Nanos }

// rowOf is the row of a valid entry.
func rowOf(e *Entry) (r Row) {
	r.Seconds, r.Nanos = e.ModTime.Unix(), uint32(e.ModTime.Nanosecond())
	switch e.Kind {
	case File:
		r.Bits, r.Size = RowFile, e.Size
		r.Sum, _ = e.Digest.Sum() // of a valid entry
	case Link:
		r.Bits = RowLink
		return r
	case Dir:
		r.Bits = RowDir
	case Special:
		if e.Target == FIFO {
			r.Bits = RowFIFO
		}
	}
	r.Bits |= uint16(UnixMode(e.Mode))
	return r
}

// entry is the entry at path; target is that of a link.
func (r *Row) entry(path, target string) Entry {
	e := Entry{Path: path, Kind: r.Kind(), ModTime: time.Unix(r.Seconds, int64(r.Nanos)).UTC()}
	switch e.Kind {
	case File:
		e.Size, e.Digest = r.Size, DigestOf(r.Sum)
	case Link:
		e.Target = target
		return e
	case Special:
		if r.Bits&RowKind == RowFIFO {
			e.Target = FIFO
		}
	}
	e.Mode = FileMode(uint32(r.Bits))
	return e
}
