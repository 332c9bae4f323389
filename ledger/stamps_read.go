package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// ErrStamps is in the chain of the errors of Scanner.Revive for stamps that are of something else, or damaged.
var ErrStamps = errors.New("ledger: these stamps cannot be believed")

// Revive reads what [Tree.Stamps] spelled of the folder dir in the same life of the machine: the tree as the scan saw it, for the
// next scan with s to begin with. What that believes of it is what it would believe of a tree of its own process.
//
// Whoever writes stamps decides what scans find, so take none that anybody else may have written. What is torn, of another folder, file system,
// scope, life of the machine, or version is an error, with [ErrStamps] in its chain: then scan without. Memory stays in proportion
// to the size of stamps, which the tree shares.
func (s *Scanner) Revive(dir, life, stamps string) (*Tree, error) {
	m, err := newMatcher(s.Scope)
	if err != nil {
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
	t := &Tree{scope: m, scanner: *s, spare: &spare{}}
	t.scanner.Scope = s.Scope.clone()
	if t.scanner.MaxFile <= 0 {
		t.scanner.MaxFile = defaultMaxFile
	}
	t.trust = r.trust(top.dev, fs)
	if t.root = r.root(); r.bad {
		return nil, fmt.Errorf("%w: they are damaged", ErrStamps)
	}
	t.digest = digestOf(t.root.hash[:])
	return t, nil
}

// A stampsReader takes values off the front of rest, until one is wrong.
type stampsReader struct {
	rest    string
	bad     bool
	entries []Entry // room for all that are still to come
	marks   []mark
	nodes   []node
	dirs    []int32
	subs    []*node
	sealing []byte
}

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

func (r *stampsReader) long() uint64 {
	b := r.take(8)
	if r.bad {
		return 0
	}
	return longAt(b, 0)
}

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

func (r *stampsReader) trust(dev, fs uint64) trust {
	t := trust{dev: dev, fs: fs, usable: true}
	seconds := r.long()
	nanos := r.take(4)
	if !r.bad {
		t.start = time.Unix(int64(seconds), int64(shortAt(nanos, 0)))
	}
	t.up = uptime{before: time.Duration(r.long()), after: time.Duration(r.long())}
	t.grain = grain(r.byte())
	r.bad = r.bad || int64(seconds) >= years || int64(seconds) <= -years || !t.up.known() || t.up.after < t.up.before ||
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
	r.entries, r.marks, r.nodes = make([]Entry, entries), make([]mark, entries), make([]node, folders)
	r.dirs, r.subs = make([]int32, folders-1), make([]*node, folders-1)
	root := r.folder("")
	r.bad = r.bad || len(r.rest) > 0 || len(r.entries) > 0 || len(r.nodes) > 0
	return root
}

// folder reads the folder at path, "" for the root.
func (r *stampsReader) folder(path string) *node {
	st, named := r.status(), r.byte()
	n, kids := r.count(leastEntry), r.count(leastEntry)
	if r.bad = r.bad || len(r.nodes) == 0 || n > len(r.entries) || kids > len(r.subs) || st.kind() != Dir || named > 1; r.bad {
		return nil
	}
	f := &r.nodes[0]
	r.nodes = r.nodes[1:]
	f.status, f.named = st, named == 1
	f.entries, r.entries = r.entries[:n:n], r.entries[n:]
	f.marks, r.marks = r.marks[:n:n], r.marks[n:]
	f.dirs, r.dirs = r.dirs[:0:kids], r.dirs[kids:]
	f.subs, r.subs = r.subs[:0:kids], r.subs[kids:]
	if path != "" {
		f.cut = len(path) + 1
	}
	before := ""
	for i := range f.entries {
		sub := r.entry(path, &f.entries[i], &f.marks[i])
		if r.bad {
			return nil
		}
		name := f.name(i)
		if r.bad = name <= before || sub != nil && len(f.subs) == kids; r.bad { // names are sorted, and none is empty
			return nil
		}
		before = name
		if sub != nil {
			f.dirs, f.subs = append(f.dirs, int32(i)), append(f.subs, sub)
		}
	}
	if r.bad = len(f.subs) != kids; r.bad {
		return nil
	}
	r.sealing = f.seal(r.sealing)
	return f
}

// entry reads an entry of the folder at dir; a folder is what it returns.
func (r *stampsReader) entry(dir string, e *Entry, m *mark) *node {
	kind, marks := kindOf(r.byte()), r.byte()
	path := r.string()
	if r.bad = r.bad || !liesIn(path, dir) || marks > markUnread|markNamed || kind == Dir && marks != 0; r.bad {
		return nil
	}
	if kind == Dir {
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
	case File:
		digest := r.take(digestSize)
		told.Digest = Digest(digest)
		r.bad = r.bad || !isDigest(digest)
	case Link:
		told.Target = r.string()
		r.bad = r.bad || told.Target == ""
	}
	*e = told
	return nil
}

func (r *stampsReader) status() status {
	b := r.take(statusSize)
	if r.bad {
		return status{}
	}
	s := status{dev: longAt(b, 0), ino: longAt(b, 8), size: int64(longAt(b, 16)), changed: int64(longAt(b, 24)), modified: int64(longAt(b, 32)),
		changedNs: shortAt(b, 40), modifiedNs: shortAt(b, 44), mode: shortAt(b, 48)}
	r.bad = s.size < 0 || max(s.changedNs, s.modifiedNs) >= uint32(time.Second) || s.mode&^(modeKind|0o7777) != 0
	return s
}

func longAt(b string, i int) uint64  { return binary.BigEndian.Uint64([]byte(b[i : i+8])) }
func shortAt(b string, i int) uint32 { return binary.BigEndian.Uint32([]byte(b[i : i+4])) }

// kindOf is the kind with that first letter, or "".
func kindOf(letter byte) Kind {
	switch letter {
	case File[0]:
		return File
	case Link[0]:
		return Link
	case Dir[0]:
		return Dir
	case Special[0]:
		return Special
	}
	return ""
}

// liesIn reports whether path is that of an entry directly in dir, "" for the root.
func liesIn(path, dir string) bool {
	name := path
	if dir != "" {
		if len(path) <= len(dir) || path[:len(dir)] != dir || path[len(dir)] != '/' {
			return false
		}
		name = path[len(dir)+1:]
	}
	return name != "" && name != "." && name != ".." && strings.IndexByte(name, '/') < 0 && strings.IndexByte(name, 0) < 0
}

// isDigest is ParseDigest without its error.
func isDigest(text string) bool {
	if len(text) != digestSize || text[:len(scheme)] != scheme {
		return false
	}
	odd := byte(0) // without a branch for each: there are many
	for i := len(scheme); i < len(text); i++ {
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
