package scan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan/internal/uptime"
)

// ErrStamps is in the chain of the errors of Scanner.Revive for stamps that are
// of something else, or damaged.
var ErrStamps = errors.New("scan: these stamps cannot be believed")

// Revive reads what [Stamps] spelled of the folder dir in the same life of the
// machine: the tree as the scan saw it, for the next scan with s to begin with.
// What that believes of it is what it would believe of a tree of its own
// process.
//
// Whoever writes stamps decides what scans find, so take none that anybody else
// may have written. What is torn, of another folder, file system, scope, life
// of the machine, or version is an error, with [ErrStamps] in its chain: then
// scan without. Memory stays in proportion to the size of stamps, which the
// tree shares.
func (s *Scanner) Revive(dir, life, stamps string) (*ledger.Tree, error) {
	if err := s.Scope.Check(); err != nil {
		return nil, err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStamps, err)
	}
	fs, usable := trusted(dir)
	top := statusOf(info)
	rest, same := strings.CutPrefix(stamps, string(appendStampsHeader(nil, dir, life, &top, fs, s.Scope)))
	if !same || !usable || life == "" {
		return nil, fmt.Errorf("%w: they are of another folder or scope, or of another life of the machine, or of another version", ErrStamps)
	}
	r := stampsReader{rest: rest}
	m := &memory{scanner: s.complete(), spare: &spare{}}
	m.trust = r.trust(top.dev, fs)
	if m.root = r.root(); r.bad {
		return nil, fmt.Errorf("%w: they are damaged", ErrStamps)
	}
	return m.tree(), nil
}

// A stampsReader takes values off the front of rest, until one is wrong.
type stampsReader struct {
	rest    string
	bad     bool
	entries []ledger.Entry // room for all that are still to come
	marks   []mark
	nodes   []node
	subs    []*node
	folders []*ledger.Folder
	sealer  ledger.Sealer
}

// leastEntry bounds how many entries a damaged number can promise.
const leastEntry = 4 // bytes of an entry

// take takes n bytes.
func (r *stampsReader) take(n int) string {
	if r.bad = r.bad || n < 0 || n > len(r.rest); r.bad {
		return ""
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

// long takes a number of eight bytes. Like all that is taken it is zero from
// the first fault on.
func (r *stampsReader) long() uint64 {
	b := r.take(8)
	if r.bad {
		return 0
	}
	return longAt(b, 0)
}

// byte takes one byte.
func (r *stampsReader) byte() byte {
	b := r.take(1)
	if r.bad {
		return 0
	}
	return b[0]
}

// count takes a number of things that take at least size bytes each.
func (r *stampsReader) count(size int) int {
	n, k := binary.Uvarint([]byte(r.rest[:min(len(r.rest), binary.MaxVarintLen64)]))
	if r.bad = r.bad || k <= 0 || n > uint64(len(r.rest)/size); r.bad {
		return 0
	}
	r.take(k)
	return int(n)
}

func (r *stampsReader) string() string { return r.take(r.count(1)) }

// trust reads what may be believed. Times that no scan can have seen are
// damage.
func (r *stampsReader) trust(dev, fs uint64) trust {
	t := trust{dev: dev, fs: fs, usable: true}
	seconds := r.long()
	nanos := r.take(4)
	if !r.bad {
		t.start = time.Unix(int64(seconds), int64(shortAt(nanos, 0)))
	}
	t.up = uptime.Reading{Before: time.Duration(r.long()), After: time.Duration(r.long())}
	t.grain = grain(r.byte())
	r.bad = r.bad || int64(seconds) >= years || int64(seconds) <= -years || !t.up.Known() || t.up.After < t.up.Before ||
		t.grain == unprobed || t.grain >= misleading
	return t
}

// root reads the tree.
func (r *stampsReader) root() *node {
	entries, folders := r.count(leastEntry), r.count(statusSize)
	if r.bad || folders < 1 || folders-1 > entries {
		r.bad = true
		return nil
	}
	r.entries, r.marks, r.nodes = make([]ledger.Entry, entries), make([]mark, entries), make([]node, folders)
	r.subs, r.folders = make([]*node, folders-1), make([]*ledger.Folder, folders-1)
	r.sealer.Grow(folders)
	root := r.folder("")
	r.bad = r.bad || len(r.rest) > 0 || len(r.entries) > 0 || len(r.nodes) > 0
	return root
}

// folder reads the folder at path, "" for the root.
func (r *stampsReader) folder(path string) *node {
	st, named := r.status(), r.byte()
	n, kids := r.count(leastEntry), r.count(leastEntry)
	if r.bad = r.bad || len(r.nodes) == 0 || n > len(r.entries) || kids > len(r.subs) || st.kind() != ledger.Dir ||
		named > 1; r.bad {
		return nil
	}
	f := &r.nodes[0]
	r.nodes = r.nodes[1:]
	f.status, f.named = st, named == 1
	var entries []ledger.Entry
	var folders []*ledger.Folder
	entries, r.entries = r.entries[:n:n], r.entries[n:]
	f.marks, r.marks = r.marks[:n:n], r.marks[n:]
	f.subs, r.subs = r.subs[:0:kids], r.subs[kids:]
	folders, r.folders = r.folders[:0:kids], r.folders[kids:]
	cut := 0
	if path != "" {
		cut = len(path) + 1
	}
	before := ""
	for i := range entries {
		sub := r.entry(path, &entries[i], &f.marks[i])
		if r.bad {
			return nil
		}
		name := entries[i].Path[cut:]
		if r.bad = name <= before || sub != nil && len(f.subs) == kids; r.bad { // names are sorted, and none is empty
			return nil
		}
		before = name
		if sub != nil {
			f.subs, folders = append(f.subs, sub), append(folders, sub.Folder)
		}
	}
	if r.bad = len(f.subs) != kids; r.bad {
		return nil
	}
	f.Folder = r.sealer.Folder(path, entries, folders)
	f.count()
	return f
}

// entry reads an entry of the folder at dir; a folder is what it returns.
func (r *stampsReader) entry(dir string, e *ledger.Entry, m *mark) *node {
	kind, marks := kindOf(r.byte()), r.byte()
	path := r.string()
	if r.bad = r.bad || !liesIn(path, dir) || marks > markUnread|markNamed || kind == ledger.Dir && marks != 0; r.bad {
		return nil
	}
	if kind == ledger.Dir {
		sub := r.folder(path)
		if !r.bad {
			*e = sub.status.entry(path)
		}
		return sub
	}
	m.unread, m.named = marks&markUnread != 0, marks&markNamed != 0
	if !m.named {
		m.status = r.status()
	}
	told, ok := m.entry(path, kind)
	r.bad = r.bad || !ok
	switch kind {
	case ledger.File:
		digest := r.take(digestSize)
		told.Digest = ledger.Digest(digest)
		r.bad = r.bad || !isDigest(digest)
	case ledger.Link:
		told.Target = r.string()
		r.bad = r.bad || told.Target == ""
	}
	*e = told
	return nil
}

// status takes what a file looked like. What no file looks like is a fault:
// stamps lie where anybody could write them.
func (r *stampsReader) status() status {
	b := r.take(statusSize)
	if r.bad {
		return status{}
	}
	s := status{dev: longAt(b, 0), ino: longAt(b, 8), size: int64(longAt(b, 16)), changed: int64(longAt(b, 24)),
		modified:  int64(longAt(b, 32)),
		changedNs: shortAt(b, 40), modifiedNs: shortAt(b, 44), mode: shortAt(b, 48)}
	r.bad = s.size < 0 || max(s.changedNs, s.modifiedNs) >= uint32(time.Second) || s.mode&^(modeKind|0o7777) != 0
	return s
}

func longAt(b string, i int) uint64  { return binary.BigEndian.Uint64([]byte(b[i : i+8])) }
func shortAt(b string, i int) uint32 { return binary.BigEndian.Uint32([]byte(b[i : i+4])) }

// kindOf is the kind with that first letter, or "".
func kindOf(letter byte) ledger.Kind {
	switch letter {
	case ledger.File[0]:
		return ledger.File
	case ledger.Link[0]:
		return ledger.Link
	case ledger.Dir[0]:
		return ledger.Dir
	case ledger.Special[0]:
		return ledger.Special
	}
	return ""
}

// liesIn reports whether path is that of an entry directly in dir, "" for the
// root.
func liesIn(path, dir string) bool {
	name := path
	if dir != "" {
		if len(path) <= len(dir) || path[:len(dir)] != dir || path[len(dir)] != '/' {
			return false
		}
		name = path[len(dir)+1:]
	}
	return name != "" && name != "." && name != ".." && strings.IndexByte(name, '/') < 0 &&
		strings.IndexByte(name, 0) < 0
}

// isDigest is ParseDigest without its error.
func isDigest(text string) bool {
	if len(text) != digestSize || text[:len(digestHead)] != digestHead {
		return false
	}
	odd := byte(0) // without a branch for each: there are many
	for i := len(digestHead); i < len(text); i++ {
		odd |= notHex[text[i]]
	}
	return odd == 0
}

// notHex is 1 for all but lower-case hexadecimal digits.
var notHex = func() (table [256]byte) {
	for c := range table {
		table[c] = bitIf(strings.IndexByte("0123456789abcdef", byte(c)) < 0, 1)
	}
	return table
}()
