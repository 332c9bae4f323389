package ledger

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// A Tree is an immutable manifest of a folder. It is safe for concurrent use.
type Tree struct {
	root   *Folder // shared with other trees; never changed
	digest Digest
	origin Origin // zero for trees made of entries
}

// An Origin is what a tree tells besides its entries, if something scanned it.
// It is no part of its identity.
type Origin struct {
	Scope  Scope    // of the scan
	Unread []string // paths, sorted, that were found and could not be read; they are Special entries
	Memory any      // what the scanner keeps of the tree for its next scan; nobody else can read it
}

// Empty is the tree of an empty folder.
func Empty() *Tree { return TreeOf(grow(nil), Origin{}) }

// TreeOf is the tree with that root. It shares the lists of its origin.
func TreeOf(root *Folder, origin Origin) *Tree {
	return &Tree{root: root, digest: DigestOf(root.hash), origin: origin}
}

// NewTree makes a tree of entries, in any order. It takes a copy of them.
//
// It refuses, naming every entry at fault, paths that are doubled, absolute or
// lead outside, entries whose fields do not fit their kind, and entries whose
// folder is not listed as one: such a list says nothing that a folder could
// hold.
func NewTree(entries []Entry) (*Tree, error) {
	if !slices.IsSortedFunc(entries, byPath) {
		entries = slices.Clone(entries)
		slices.SortFunc(entries, byPath)
	}
	if err := checkEntries(entries); err != nil {
		return nil, err
	}
	return TreeOf(grow(entries), Origin{}), nil
}

func byPath(a, b Entry) int { return strings.Compare(a.Path, b.Path) }

// Digest is the identity of the tree. Two trees have the same digest only if
// all their entries are the same; the mode of the root and the times of
// modification do not count. The encoding is described at treeEncoding.
func (t *Tree) Digest() Digest { return t.digest }

// Len is the number of entries.
func (t *Tree) Len() int {
	if t.root == nil {
		return 0
	}
	return t.root.count
}

// Lookup finds the entry of a path.
func (t *Tree) Lookup(path string) (Entry, bool) {
	if e := t.root.lookup(path); e != nil {
		return *e, true
	}
	return Entry{}, false
}

// In yields the entries directly in the folder at path ("." for the root),
// sorted by the bytes of their names; none if that is no folder of the tree.
func (t *Tree) In(path string) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		f := t.root.at(path)
		if f == nil {
			return
		}
		for i := range f.entries {
			if !yield(f.entries[i]) {
				return
			}
		}
	}
}

// All yields the entries sorted by the bytes of their paths, so that a folder
// comes before all that it holds (though not always right before).
func (t *Tree) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		t.root.all(func(e *Entry) bool { return yield(*e) })
	}
}

// Tracked reports whether a path is watched only: its changes are seen (those
// of names only, at the level Stamps), but a restore leaves it as it is. The
// answer follows the scope of the scan that made the tree, also for paths that
// the tree does not hold; a tree that was made of entries tracks nothing.
func (t *Tree) Tracked(path string) bool {
	return matches(t.origin.Scope.Track, path) || matches(t.origin.Scope.Stamps, path)
}

// Level is how closely the scan that made the tree looks at a path, also at one
// that the tree does not hold. Of a tree that was made of entries all is Full
// but .planlock and .git.
func (t *Tree) Level(path string) Level { return t.origin.Scope.Level(path) }

// LeavesOut reports whether a path is no part of the tree because the scope of
// the scan that made it leaves it out: ignored, the controller's own, or git's.
// Nothing is left out of a tree that was made of entries but .planlock and
// .git.
func (t *Tree) LeavesOut(path string) bool { return t.origin.Scope.omitsAbove(path) }

// Unread are the paths, sorted, that a tolerant scan found and could not read.
// They are in the tree as Special entries. The list belongs to the tree.
func (t *Tree) Unread() []string { return t.origin.Unread }

// Memory is what the scanner that made the tree keeps of it for its next scan;
// nil for a tree made of entries.
func (t *Tree) Memory() any { return t.origin.Memory }

// Bare is t as a tree that was made of its entries: without the scope of the
// scan that made it, and with nothing that a later scan could believe.
func (t *Tree) Bare() *Tree { return &Tree{root: t.root, digest: t.digest} }

// String names the tree for people.
func (t *Tree) String() string {
	return fmt.Sprintf("%s (%d entries)", t.digest, t.Len())
}
