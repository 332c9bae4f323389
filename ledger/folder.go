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
	cut     int       // where names begin in the paths of the entries
	entries []Entry   // directly in the folder, sorted by the bytes of their names
	dirs    []int32   // which of the entries are folders
	subs    []*Folder // those folders
	hash    [hashSize]byte
	count   int // entries in the folder and below
}

// Entries are those directly in the folder, sorted by the bytes of their names.
// They belong to the folder.
func (f *Folder) Entries() []Entry { return f.entries }

// Dirs are the places, among the entries, of those that are folders. They
// belong to the folder.
func (f *Folder) Dirs() []int32 { return f.dirs }

// Name is the last name of the path of the entry i.
func (f *Folder) Name(i int) string { return f.entries[i].Path[f.cut:] }

// Hash is the digest of the folder, as treeEncoding has it: all that it
// holds, and nothing of itself.
func (f *Folder) Hash() [hashSize]byte { return f.hash }

// Len is the number of entries in the folder and below.
func (f *Folder) Len() int { return f.count }

// seal hashes and counts a folder whose own folders are sealed. It returns buf
// for the next one.
func (f *Folder) seal(buf []byte) []byte {
	buf = append(buf[:0], treeEncoding...)
	buf = append(buf, '\n')
	subs := f.subs
	f.count = len(f.entries)
	for i := range f.entries {
		e := &f.entries[i]
		buf = appendEntry(buf, e, f.Name(i))
		if e.Kind == Dir {
			buf = append(buf, subs[0].hash[:]...)
			f.count += subs[0].count
			subs = subs[1:]
		}
	}
	f.hash = sha256.Sum256(buf)
	return buf
}

// find is where the entry called name is, or would be.
func (f *Folder) find(name string) (int, bool) {
	return slices.BinarySearchFunc(f.entries, name, func(e Entry, name string) int {
		return strings.Compare(e.Path[f.cut:], name)
	})
}

// sub is the folder that the entry i stands for.
func (f *Folder) sub(i int) *Folder {
	k, _ := slices.BinarySearch(f.dirs, int32(i))
	return f.subs[k]
}

// at is the folder at a path below the root f; nil if none is there.
func (f *Folder) at(path string) *Folder {
	for rest, more := path, path != "."; more && f != nil; {
		var name string
		name, rest, more = strings.Cut(rest, "/")
		i, ok := f.find(name)
		if !ok || f.entries[i].Kind != Dir {
			return nil
		}
		f = f.sub(i)
	}
	return f
}

// lookup finds the entry of a path below the root f.
func (f *Folder) lookup(path string) *Entry {
	for f != nil {
		name, rest, deeper := strings.Cut(path, "/")
		i, ok := f.find(name)
		switch {
		case !ok || deeper && f.entries[i].Kind != Dir:
			return nil
		case !deeper:
			return &f.entries[i]
		}
		f, path = f.sub(i), rest
	}
	return nil
}

// all yields the entries below f, sorted by the bytes of their paths. What a
// folder holds does not come right after the folder: "a-b" and "a.go" sort
// before "a/c".
func (f *Folder) all(yield func(*Entry) bool) bool {
	if f == nil {
		return true
	}
	var open []int // folders whose contents are still to come; the innermost is the next
	for i := range f.entries {
		for len(open) > 0 && passed(f.Name(int(f.dirs[open[len(open)-1]])), f.Name(i)) {
			if !f.subs[open[len(open)-1]].all(yield) {
				return false
			}
			open = open[:len(open)-1]
		}
		if !yield(&f.entries[i]) {
			return false
		}
		if f.entries[i].Kind == Dir {
			k, _ := slices.BinarySearch(f.dirs, int32(i))
			open = append(open, k)
		}
	}
	for _, k := range slices.Backward(open) {
		if !f.subs[k].all(yield) {
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
