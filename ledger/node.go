package ledger

import (
	"slices"
	"strings"
)

// A node is one folder of a tree. It never changes once it is sealed, and trees share the nodes
// that are the same in both: what a scan finds as it was costs neither memory
// nor hashing.
type node struct {
	cut     int     // where names begin in the paths of the entries
	entries []Entry // directly in the folder, sorted by the bytes of their names
	dirs    []int32 // which of the entries are folders
	subs    []*node // those folders
	hash    [hashSize]byte
	count   int // entries in the folder and below

	// What the scan leaves for the next one; nothing in trees made of entries.
	status status // of the folder, taken before its names
	marks  []mark // beside entries
	unread int    // entries in the folder and below that could not be read
	named  bool   // a folder at the level Stamps
}

// A mark is what a scan keeps of an entry for the next one.
type mark struct {
	status status
	unread bool // it is not known what it holds
	named  bool // only its name was looked at
}

func (n *node) name(i int) string { return n.entries[i].Path[n.cut:] }

// find is where the entry called name is, or would be.
func (n *node) find(name string) (int, bool) {
	return slices.BinarySearchFunc(n.entries, name, func(e Entry, name string) int {
		return strings.Compare(e.Path[n.cut:], name)
	})
}

// sub is the folder that the entry i stands for.
func (n *node) sub(i int) *node {
	k, _ := slices.BinarySearch(n.dirs, int32(i))
	return n.subs[k]
}

// lookup finds the entry of a path below the root n.
func (n *node) lookup(path string) *Entry {
	for n != nil {
		name, rest, deeper := strings.Cut(path, "/")
		i, ok := n.find(name)
		switch {
		case !ok || deeper && n.entries[i].Kind != Dir:
			return nil
		case !deeper:
			return &n.entries[i]
		}
		n, path = n.sub(i), rest
	}
	return nil
}

// all yields the entries below n, sorted by the bytes of their paths. What a folder holds does not come
// right after the folder: "a-b" and "a.go" sort before "a/c".
func (n *node) all(yield func(*Entry) bool) bool {
	if n == nil {
		return true
	}
	var open []int // folders whose contents are still to come; the innermost is the next
	for i := range n.entries {
		for len(open) > 0 && passed(n.name(int(n.dirs[open[len(open)-1]])), n.name(i)) {
			if !n.subs[open[len(open)-1]].all(yield) {
				return false
			}
			open = open[:len(open)-1]
		}
		if !yield(&n.entries[i]) {
			return false
		}
		if n.entries[i].Kind == Dir {
			k, _ := slices.BinarySearch(n.dirs, int32(i))
			open = append(open, k)
		}
	}
	for _, k := range slices.Backward(open) {
		if !n.subs[k].all(yield) {
			return false
		}
	}
	return true
}

// unreadPaths appends the paths below n that could not be read.
func (n *node) unreadPaths(paths []string) []string {
	if n.unread == 0 {
		return paths
	}
	for i := range n.marks {
		if n.marks[i].unread {
			paths = append(paths, n.entries[i].Path)
		}
	}
	for _, sub := range n.subs {
		paths = sub.unreadPaths(paths)
	}
	return paths
}

// grow makes the nodes of sorted and valid entries, and returns the root.
func grow(entries []Entry) *node {
	var (
		up    = make([]int32, len(entries)) // the node that holds the entry; 0 is the root
		own   = make([]int32, len(entries)) // the node of a folder
		sizes = []int32{0}                  // entries of each node
		kids  = []int32{0}                  // folders of each node
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
		nodes = make([]node, len(sizes))
		flat  = make([]Entry, len(entries))
		dirs  = make([]int32, len(nodes)-1)
		subs  = make([]*node, len(nodes)-1)
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
