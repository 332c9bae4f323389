package ledger

// A Sealer makes folders from the innermost out. The zero value is ready; it is
// not safe for concurrent use.
type Sealer struct {
	buf     []byte
	folders []Folder // room for folders that are still to come
}

// Grow makes room for so many folders with one allocation.
func (s *Sealer) Grow(folders int) { s.folders = make([]Folder, folders) }

// Folder makes the folder at path, which is "" for the root. Its entries are
// sorted by the bytes of their names, and subs are those of them that are
// folders, in the same order. The caller vouches for both, and gives them away:
// they must not change any more.
func (s *Sealer) Folder(path string, entries []Entry, subs []*Folder) *Folder {
	if len(s.folders) == 0 {
		s.folders = make([]Folder, 1)
	}
	f := &s.folders[0]
	s.folders = s.folders[1:]
	f.entries, f.subs = entries, subs
	if path != "" {
		f.cut = len(path) + 1
	}
	if len(subs) > 0 {
		f.dirs = make([]int32, 0, len(subs))
		for i := range entries {
			if entries[i].Kind == Dir {
				f.dirs = append(f.dirs, int32(i))
			}
		}
	}
	s.buf = f.seal(s.buf)
	return f
}

// grow makes the folders of sorted and valid entries, and returns the root.
func grow(entries []Entry) *Folder {
	var (
		up    = make([]int32, len(entries)) // the folder that holds the entry; 0 is the root
		own   = make([]int32, len(entries)) // the folder itself, if it is one
		sizes = []int32{0}                  // entries of each folder
		kids  = []int32{0}                  // folders in each folder
		stack ancestry
	)
	for i := range entries {
		if k := stack.parent(entries, entries[i].Path); k >= 0 {
			up[i] = own[k]
		}
		sizes[up[i]]++
		if entries[i].Kind == Dir {
			stack.push(i)
			kids[up[i]]++
			own[i] = int32(len(sizes))
			sizes, kids = append(sizes, 0), append(kids, 0)
		}
	}
	var (
		nodes = make([]Folder, len(sizes))
		flat  = make([]Entry, len(entries))
		dirs  = make([]int32, len(nodes)-1)
		subs  = make([]*Folder, len(nodes)-1)
	)
	for i := range nodes {
		n := &nodes[i]
		n.entries, flat = flat[:0:sizes[i]], flat[sizes[i]:]
		n.dirs, dirs = dirs[:0:kids[i]], dirs[kids[i]:]
		n.subs, subs = subs[:0:kids[i]], subs[kids[i]:]
	}
	for i := range entries {
		n := &nodes[up[i]]
		if entries[i].Kind == Dir {
			n.dirs, n.subs = append(n.dirs, int32(len(n.entries))), append(n.subs, &nodes[own[i]])
			nodes[own[i]].cut = len(entries[i].Path) + 1
		}
		n.entries = append(n.entries, entries[i])
	}
	var buf []byte
	for i := len(nodes) - 1; i >= 0; i-- { // a folder comes before all it holds
		buf = nodes[i].seal(buf)
	}
	return &nodes[0]
}
