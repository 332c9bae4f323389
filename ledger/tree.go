package ledger

import (
	"fmt"
	"iter"
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
func Empty() *Tree { return TreeOf(new(Sealer).Folder(Names{}, nil, nil, nil), Origin{}) }

// TreeOf is the tree with that root. It shares the lists of its origin.
func TreeOf(root *Folder, origin Origin) *Tree {
	return &Tree{root: root, digest: DigestOf(root.hash), origin: origin}
}

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
	return t.root.lookup(path)
}

// In yields the entries directly in the folder at path ("." for the root),
// sorted by the bytes of their names; none if that is no folder of the tree.
func (t *Tree) In(path string) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		f := t.root.below(path)
		if f == nil {
			return
		}
		if path == "." {
			path = ""
		}
		for i := range f.rows {
			if !yield(f.entry(path, i)) {
				return
			}
		}
	}
}

// All yields the entries sorted by the bytes of their paths, so that a folder
// comes before all that it holds (though not always right before).
func (t *Tree) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) { t.root.all("", yield) }
}

// Tracked reports whether a path is watched only: its changes are seen (those
// of names only, at the level Stamps), but a restore leaves it as it is. The
// answer follows the scope of the scan that made the tree, also for paths that
// the tree does not hold; a tree that was made of entries tracks nothing.
func (t *Tree) Tracked(path string) bool {
	return matches(t.origin.Scope.Track, path) || matches(t.origin.Scope.Stamps, path)
}

// Root is the folder that the tree is of.
func (t *Tree) Root() *Folder { return t.root }

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
