package scan

import (
	"slices"

	"github.com/planlock/planlock/ledger"
)

// A node is what a scan keeps of one folder for the next scan: the folder as
// the tree has it, and the stamps of all in it. It never changes once it is
// sealed, and scans share the nodes that are the same in both.
type node struct {
	*ledger.Folder
	subs   []*node // beside those of the folder
	status status  // of the folder, taken before its names
	marks  []mark  // beside the entries
	unread int     // entries in the folder and below that could not be read
	named  bool    // a folder at the level Stamps
}

// A mark is what a scan keeps of an entry for the next one.
type mark struct {
	status status
	unread bool // it is not known what it holds
	named  bool // only its name was looked at
}

// sub is the folder that the entry i stands for.
func (n *node) sub(i int) *node {
	k, _ := slices.BinarySearch(n.Dirs(), int32(i))
	return n.subs[k]
}

// count counts the entries that could not be read, in a node whose folders are
// counted.
func (n *node) count() {
	n.unread = 0
	for i := range n.marks {
		if n.marks[i].unread {
			n.unread++
		}
	}
	for _, sub := range n.subs {
		n.unread += sub.unread
	}
}

// unreadPaths appends the paths below n that could not be read.
func (n *node) unreadPaths(paths []string) []string {
	if n.unread == 0 {
		return paths
	}
	entries := n.Entries()
	for i := range n.marks {
		if n.marks[i].unread {
			paths = append(paths, entries[i].Path)
		}
	}
	for _, sub := range n.subs {
		paths = sub.unreadPaths(paths)
	}
	return paths
}
