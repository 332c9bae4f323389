package ledger

import (
	"crypto/sha256"
	"slices"
	"strings"
)

// A Folder is one folder of a tree, with all that it holds. It never changes
// once a [Sealer] made it, and trees share the folders that are the same in
// both: what a scan finds as it was costs neither memory nor hashing.
type Folder struct {
	names Names    // of the entries directly in the folder, sorted by their bytes
	rows  []Row    // beside them; the size of a folder is its place among subs
	links []Linked // in the order of the rows
	subs  []*Folder
	hash  [hashSize]byte
	count int // entries in the folder and below
}

// A Linked says where the link number At of a folder leads.
type Linked struct {
	At     int
	Target string
}

// Names are those of the entries directly in the folder, sorted by their bytes.
func (f *Folder) Names() Names { return f.names }

// Rows are the entries, beside their names. They belong to the folder; what the
// sizes of those say that are folders means nothing.
func (f *Folder) Rows() []Row { return f.rows }

// Links are the entries that are links. They belong to the folder.
func (f *Folder) Links() []Linked { return f.links }

// Subs are the entries that are folders. They belong to the folder.
func (f *Folder) Subs() []*Folder { return f.subs }

// Named is the folder of that name directly in f; nil if there is none.
func (f *Folder) Named(name string) *Folder { return f.below(name) }

// Hash is the digest of the folder, as treeEncoding has it: all that it
// holds, and nothing of itself.
func (f *Folder) Hash() [hashSize]byte { return f.hash }

// Len is the number of entries in the folder and below.
func (f *Folder) Len() int { return f.count }

// Target is where the link number i leads; "" if that is none.
func (f *Folder) Target(i int) string {
	k, ok := slices.BinarySearchFunc(f.links, i, func(l Linked, i int) int { return l.At - i })
	if !ok {
		return ""
	}
	return f.links[k].Target
}

// Sub is the place among the folders of the entry i, which is one.
func (f *Folder) Sub(i int) int { return int(f.rows[i].Size) }

// seal hashes and counts a folder whose own folders are sealed. It returns buf
// for the next one.
func (f *Folder) seal(buf []byte) []byte {
	buf = append(buf[:0], treeEncoding...)
	buf = append(buf, '\n')
	subs, links := 0, f.links
	f.count = len(f.rows)
	for i := range f.rows {
		r := &f.rows[i]
		target := ""
		if len(links) > 0 && links[0].At == i {
			target, links = links[0].Target, links[1:]
		}
		buf = appendRow(buf, r, f.names.At(i), target)
		if r.Bits&RowKind == RowDir {
			sub := f.subs[subs]
			r.Size = int64(subs)
			subs++
			buf = append(buf, sub.hash[:]...)
			f.count += sub.count
		}
	}
	f.hash = sha256.Sum256(buf)
	return buf
}

// entry is the entry number i of the folder at dir, "" for the root.
func (f *Folder) entry(dir string, i int) Entry { return f.at(childOf(dir, f.names.At(i)), i) }

// at is the entry number i, of which the path is known.
func (f *Folder) at(path string, i int) Entry {
	target := ""
	if f.rows[i].Bits&RowKind == RowLink {
		target = f.Target(i)
	}
	return f.rows[i].entry(path, target)
}

// isDir reports whether the entry i is a folder.
func (f *Folder) isDir(i int) bool { return f.rows[i].Bits&RowKind == RowDir }

// sub is the folder that the entry i stands for; nil if it is none.
func (f *Folder) sub(i int) *Folder {
	if !f.isDir(i) {
		return nil
	}
	return f.subs[f.rows[i].Size]
}

// below is the folder at a path below the root f; nil if none is there.
func (f *Folder) below(path string) *Folder {
	for rest, more := path, path != "."; more && f != nil; {
		var name string
		name, rest, more = strings.Cut(rest, "/")
		i, ok := f.names.find(name)
		if !ok {
			return nil
		}
		f = f.sub(i)
	}
	return f
}

// lookup finds the entry of a path below the root f.
func (f *Folder) lookup(path string) (e Entry, ok bool) {
	for rest := path; f != nil; {
		name, more, deeper := strings.Cut(rest, "/")
		i, ok := f.names.find(name)
		switch {
		case !ok:
			return e, false
		case !deeper:
			return f.at(path, i), true
		}
		f, rest = f.sub(i), more
	}
	return e, false
}

// all yields the entries below f, which lies at dir, sorted by the bytes of
// their paths. What a folder holds does not come right after the folder: "a-b"
// and "a.go" sort before "a/c".
func (f *Folder) all(dir string, yield func(Entry) bool) bool {
	if f == nil {
		return true
	}
	type begun struct {
		path string
		at   int
	}
	var open []begun // folders whose contents are still to come; the innermost is the next
	for i := range f.rows {
		for len(open) > 0 && passed(f.names.At(open[len(open)-1].at), f.names.At(i)) {
			next := open[len(open)-1]
			open = open[:len(open)-1]
			if !f.sub(next.at).all(next.path, yield) {
				return false
			}
		}
		e := f.entry(dir, i)
		if !yield(e) {
			return false
		}
		if f.isDir(i) {
			open = append(open, begun{e.Path, i})
		}
	}
	for _, next := range slices.Backward(open) {
		if !f.sub(next.at).all(next.path, yield) {
			return false
		}
	}
	return true
}

// passed reports whether path sorts after everything below dir.
func passed(dir, path string) bool {
	if !strings.HasPrefix(path, dir) {
		return path > dir
	}
	return len(path) > len(dir) && path[len(dir)] > '/'
}
