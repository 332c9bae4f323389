// Package ledger knows what a folder holds, what changed in it, and whether
// that is what was declared.
//
// A [Tree] is an immutable manifest of a folder: regular files, links, folders (empty ones too), and
// whatever else stands there, by name. A [Scanner] makes one; its [Digest] says
// everything: two folders with the same digest hold the same paths, contents,
// modes and link targets. [Diff] yields the [Change]s between two trees, and [Reconcile]
// sets them against what was [Declared]: an [Account] of what is
// missing, what is extra and what matches, all of it.
//
//	before, err := new(ledger.Scanner).Scan(ctx, dir, nil)
//	…                                                      // somebody works in dir
//	after, err := new(ledger.Scanner).Scan(ctx, dir, before)
//	account := ledger.Reconcile(ledger.Declared{
//		Create: []string{"server/limit.go"},
//		Modify: []string{"server/*.go"},
//	}, ledger.Diff(before, after), nil)
//	if !account.Holds() {
//		fmt.Println(account)
//	}
//
// What else can be said about a set of changes is read from the changed files only: [Symbols] are the Go
// declarations that came and went, [Lines] counts lines, [Unified] shows them.
// [ReadGit] watches a git repository, which is never part of a tree.
//
// # Paths
//
// Paths are relative to the root of the folder, separated by slashes on every system, and hold any
// bytes that the file system allows. They are sorted by their bytes, everywhere; so
// a folder comes before all it holds. [Quote] makes them fit for a terminal, and the JSON
// forms hold them exactly.
//
// # What is not promised
//
// A scan is not a snapshot: the tree is the state of one moment only if nobody writes meanwhile. The folder
// itself is no entry: nobody sees when its own mode changes. Owners,
// access lists, extended attributes and hard links are not part of a tree; what a device or FIFO is, is neither.
// A write through a memory map moves no time stamp until the system writes it back, so a later
// scan can miss it: end the processes that may hold one first. There are no renames. Symbols are those of Go only.
package ledger
