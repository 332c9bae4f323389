package scan

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/planlock/planlock/ledger"
)

// ErrStamps is in the chain of the errors of Scanner.Revive for stamps that are
// of something else, or damaged.
var ErrStamps = errors.New("scan: these stamps cannot be believed")

// Revive reads what [WriteStamps] spelled of the folder dir in the same life of
// the machine: the tree as the scan saw it, for the next scan with s to begin
// with. What that believes of it is what it would believe of a tree of its own
// process. There are size bytes of it.
//
// Whoever writes stamps decides what scans find, so take none that anybody else
// may have written. What is torn, of another folder, file system, scope, life
// of the machine, or version is an error, with [ErrStamps] in its chain: then
// scan without. Memory stays in proportion to size.
func (s *Scanner) Revive(dir, life string, stamps io.Reader, size int64) (*ledger.Tree, error) {
	if err := s.Scope.Check(); err != nil {
		return nil, err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStamps, err)
	}
	fs, usable := trusted(dir)
	top := statusOf(info)
	r := stampsReader{in: bufio.NewReaderSize(stamps, 64<<10), rest: size, dev: top.dev}
	want := appendStampsHeader(nil, dir, life, &top, fs, s.Scope)
	if same := bytes.Equal(r.take(len(want)), want); r.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStamps, r.err)
	} else if !same || !usable || life == "" {
		return nil, fmt.Errorf("%w: they are of another folder or scope, or of another life of the machine, or of another version", ErrStamps)
	}
	m := &memory{scanner: s.complete(), spare: &spare{}}
	m.trust = r.trust(fs)
	m.root = r.root()
	switch {
	case r.err != nil:
		return nil, fmt.Errorf("%w: %w", ErrStamps, r.err)
	case r.bad:
		return nil, fmt.Errorf("%w: they are damaged", ErrStamps)
	}
	return m.tree(), nil
}

// A stampsReader takes values off the front of what is left, until one is
// wrong. Then all that it takes is zero.
type stampsReader struct {
	in     *bufio.Reader
	rest   int64 // bytes that are left
	bad    bool
	err    error // of reading
	large  []byte
	before []byte // the name before
	dev    uint64 // of the root
	namer  ledger.Namer

	rows    []ledger.Row // room for all that are still to come
	marks   []mark
	nodes   []node
	subs    []*node
	folders []*ledger.Folder
	sealer  ledger.Sealer
}

// take takes n bytes, which are good until the next call; nil if there are not
// so many.
func (r *stampsReader) take(n int) []byte {
	if r.bad = r.bad || n < 0 || int64(n) > r.rest; r.bad {
		return nil
	}
	r.rest -= int64(n)
	b, err := r.in.Peek(min(n, r.in.Size()))
	if n > len(b) && err == nil {
		r.large = append(r.large[:0], make([]byte, n)...)
		b = r.large
		_, err = io.ReadFull(r.in, b)
	} else {
		_, _ = r.in.Discard(len(b)) // they were seen
	}
	if err != nil && r.err == nil {
		r.bad, r.err = true, err
	}
	if r.bad {
		return nil
	}
	return b
}

// byte takes one byte.
func (r *stampsReader) byte() byte {
	b := r.take(1)
	if r.bad {
		return 0
	}
	return b[0]
}

// long takes a number of eight bytes.
func (r *stampsReader) long() uint64 {
	b := r.take(8)
	if r.bad {
		return 0
	}
	return binary.BigEndian.Uint64(b)
}

// count takes a number of things that take at least size bytes each.
func (r *stampsReader) count(size int64) int {
	var n uint64
	for shift := 0; ; shift += 7 {
		b := r.byte()
		if r.bad = r.bad || shift > 56; r.bad {
			return 0
		}
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			break
		}
	}
	if r.bad = n > uint64(r.rest/size); r.bad {
		return 0
	}
	return int(n)
}

const timeSize = 8 + 4

// timeAt is a point in time. What none can be is a fault.
func (r *stampsReader) timeAt(b []byte) (seconds int64, nanos uint32) {
	seconds, nanos = int64(binary.BigEndian.Uint64(b)), binary.BigEndian.Uint32(b[8:])
	r.bad = r.bad || nanos >= uint32(time.Second)
	return seconds, nanos
}

// trust reads what may be believed. Times that no scan can have seen are
// damage.
func (r *stampsReader) trust(fs uint64) trust {
	t := trust{dev: r.dev, fs: fs, usable: true}
	b := r.take(timeSize)
	if r.bad {
		return t
	}
	seconds, nanos := r.timeAt(b)
	t.start = time.Unix(seconds, int64(nanos))
	t.up = uptime{before: time.Duration(r.long()), after: time.Duration(r.long())}
	t.grain = grain(r.byte())
	r.bad = r.bad || seconds >= years || seconds <= -years || !t.up.known() || t.up.after < t.up.before ||
		t.grain == unprobed || t.grain >= misleading
	return t
}

// root reads the tree.
func (r *stampsReader) root() *node {
	entries, folders := r.count(leastEntry), r.count(statusSize)
	if r.bad = r.bad || folders < 1 || folders-1 > entries; r.bad {
		return nil
	}
	r.rows, r.marks, r.nodes = make([]ledger.Row, entries), make([]mark, entries), make([]node, folders)
	r.subs, r.folders = make([]*node, folders-1), make([]*ledger.Folder, folders-1)
	root := r.folder()
	r.bad = r.bad || r.rest > 0 || len(r.rows) > 0 || len(r.nodes) > 0
	return root
}

// folder reads a folder.
func (r *stampsReader) folder() *node {
	st, named := r.status(), r.byte()
	n := r.count(leastEntry)
	if r.bad = r.bad || len(r.nodes) == 0 || n > len(r.rows) || st.kind() != ledger.Dir || named > 1; r.bad {
		return nil
	}
	f := &r.nodes[0]
	r.nodes = r.nodes[1:]
	f.status, f.named = st, named == 1
	names := r.names(n)
	var rows []ledger.Row
	rows, r.rows = r.rows[:n:n], r.rows[n:]
	f.marks, r.marks = r.marks[:n:n], r.marks[n:]
	links, kids := r.entries(rows, f.marks)
	if r.bad = r.bad || kids > len(r.subs); r.bad {
		return nil
	}
	var folders []*ledger.Folder
	f.subs, r.subs = r.subs[:kids:kids], r.subs[kids:]
	folders, r.folders = r.folders[:kids:kids], r.folders[kids:]
	k := 0
	for i := range rows {
		if rows[i].Kind() != ledger.Dir {
			continue
		}
		sub := r.folder()
		if r.bad = r.bad || sub.status.bits() != rows[i].Bits; r.bad {
			return nil
		}
		rows[i] = sub.status.row()
		f.subs[k], folders[k] = sub, sub.Folder
		k++
	}
	f.Folder = r.sealer.Folder(names, rows, links, folders)
	f.count()
	return f
}

// names takes the names of a folder: sorted, and none that no folder can hold.
func (r *stampsReader) names(n int) ledger.Names {
	for i := range n {
		name := r.take(r.count(1))
		if r.bad || i > 0 && bytes.Compare(name, r.before) <= 0 || !mayName(name) {
			r.bad = true
			break
		}
		r.namer.Add(name)
		r.before = append(r.before[:0], name...)
	}
	return r.namer.Names()
}

// mayName reports whether an entry of a folder can have that name.
func mayName(name []byte) bool {
	return len(name) > 0 && string(name) != "." && string(name) != ".." && bytes.IndexByte(name, '/') < 0 &&
		bytes.IndexByte(name, 0) < 0
}

// entries takes those of a folder, and counts the folders among them.
func (r *stampsReader) entries(rows []ledger.Row, all []mark) (links []ledger.Linked, kids int) {
	for i := range rows {
		b := r.take(3)
		if r.bad {
			break
		}
		row, m := &rows[i], &all[i]
		*row = noRow(ledger.Special)
		row.Bits, m.marks = binary.BigEndian.Uint16(b), marks(b[2])
		switch seen := m.marks &^ elsewhere; {
		case !mayBe(row.Bits):
			r.bad = true
		case row.Kind() == ledger.Dir:
			r.bad = m.marks != 0
			kids++
		case m.marks == named, m.marks == unread: // and nothing else is known
			r.bad = row.Bits != 0
		case seen == looked, seen == looked|unread && row.Bits&ledger.RowKind == 0:
			r.looked(row, m)
		default:
			r.bad = true
		}
		if row.Bits == ledger.RowLink {
			links = append(links, ledger.Linked{At: i, Target: string(r.take(r.count(1)))})
			r.bad = r.bad || links[len(links)-1].Target == ""
		}
	}
	return links, kids
}

// mayBe reports whether a row has such bits.
func mayBe(bits uint16) bool {
	switch bits & ledger.RowKind {
	case 0, ledger.RowFile, ledger.RowDir, ledger.RowFIFO:
		return true
	}
	return bits == ledger.RowLink
}

// looked takes what was seen of an entry.
func (r *stampsReader) looked(row *ledger.Row, m *mark) {
	b := r.take(timeSize + 8 + timeSize)
	if r.bad {
		return
	}
	row.Seconds, row.Nanos = r.timeAt(b)
	m.ino = binary.BigEndian.Uint64(b[timeSize:])
	m.changed, m.changedNs = r.timeAt(b[timeSize+8:])
	if row.Kind() == ledger.File {
		row.Size = int64(r.long())
		copy(row.Sum[:], r.take(len(row.Sum)))
		r.bad = r.bad || row.Size < 0
	}
}

// status takes what a folder looked like. What none looks like is a fault:
// stamps lie where anybody could write them.
func (r *stampsReader) status() (s status) {
	b := r.take(statusSize)
	if r.bad {
		return s
	}
	long := func(i int) uint64 { return binary.BigEndian.Uint64(b[8*i:]) }
	short := func(i int) uint32 { return binary.BigEndian.Uint32(b[40+4*i:]) }
	s = status{dev: long(0), ino: long(1), size: int64(long(2)), changed: int64(long(3)), modified: int64(long(4)),
		changedNs: short(0), modifiedNs: short(1), mode: short(2)}
	r.bad = s.size < 0 || max(s.changedNs, s.modifiedNs) >= uint32(time.Second) || s.mode&^(modeKind|0o7777) != 0
	return s
}
