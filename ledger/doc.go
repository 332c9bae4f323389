// Package ledger says what a folder held, what changed in it, and whether that
// is what was declared. It is pure: it reads no disk and no clock.
//
// A [Tree] is an immutable manifest of a folder: regular files, links, folders
// (empty ones too), and whatever else stands there, by name. Package
// ledger/scan makes one of a folder on disk, and [NewTree] of a list of
// entries. Its [Digest] says everything: two folders with the same digest hold
// the same paths, contents, modes and link targets. [Diff] yields the [Change]s
// between two trees, and [Reconcile] sets them against what was [Declared]: an
// [Account] of what is missing, what is extra and what matches, all of it.
//
//	before, err := new(scan.Scanner).Scan(ctx, dir, nil)
//	…                                                      // somebody works in dir
//	after, err := new(scan.Scanner).Scan(ctx, dir, before)
//	account := ledger.Reconcile(ledger.Declared{
//		Create: []string{"server/limit.go"},
//		Modify: []string{"server/*.go"},
//	}, ledger.Diff(before, after), nil)
//	if !account.Holds() {
//		fmt.Println(account)
//	}
//
// What else can be said about a set of changes is read from the contents of the
// changed files only, by package ledger/source: it counts lines and shows them,
// and finds the symbols that came and went. Package ledger/git reads the state
// of a git repository, which is never part of a tree.
//
// # Paths
//
// Paths are relative to the root of the folder, separated by slashes on every
// system, and hold any bytes that the file system allows. They are sorted by
// their bytes, everywhere; so a folder comes before all it holds. [Quote] makes
// them fit for a terminal, and the JSON forms hold them exactly.
//
// # How closely
//
// A [Scope] puts each path on one of four levels; see [Level] for what each
// sees and can miss. What no list names is [Full]. The levels are part of the
// contract: whoever approves a plan approves what its trees do not see.
//
// # What is no part of a tree
//
// The folder itself is no entry: nobody sees when its own mode changes. Owners,
// access lists, extended attributes and hard links are not part of a tree; what
// a device or FIFO is, is neither. There are no renames.
package ledger
