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
// # How closely
//
// A [Scope] puts each path on one of four levels; see [Level] for what each sees and can miss. What no list
// names is Full. The levels are part of the contract: whoever approves a plan approves what
// its trees do not see.
//
// # How it is fast, and when it looks again
//
// A scan that is given the tree of the scan before asks the system once for every file, and once
// for every folder that it opens: nothing is listed, read, sorted or hashed whose stamps did not move, and
// the two trees share it. Stamps are believed only on file systems that keep time by this
// machine's clock, on the file system of the root, and only if they are older than the start of
// the scan that read them by more than a tick of that clock; how long a tick is, a
// file without a name is asked on Linux (3 s are taken where it cannot be asked, 50 ms for a fine
// clock). If the wall clock was set back, nothing is believed, and so it is where that file does not tell of a write through
// a memory map, as on tmpfs and what lies upon it: there every scan reads everything. What is not
// believed is listed and read again. Files are looked at, read, and looked at again.
//
// All this can outlive the process: [Tree.Stamps] spells a tree with what its scan saw, and [Scanner.Revive] reads that in another
// process, in the same life of the machine. The rule above stays what it is; whether the wall clock was set back is asked of the
// clock that counts from the start of the machine, which goes on from one process to the next. So it is on Linux only. Stamps are to be
// taken only from where nobody else could write them: keep their digest where it cannot be changed.
//
// # What is not promised
//
// A scan is not a snapshot: the tree is the state of one moment only if nobody writes meanwhile. The folder
// itself is no entry: nobody sees when its own mode changes. Owners,
// access lists, extended attributes and hard links are not part of a tree; what a device or FIFO is, is neither.
// A write through a memory map moves no time stamp until the system writes it back, so a later
// scan can miss it: end the processes that may hold one first. There are no renames. Symbols are those of Go only.
package ledger
