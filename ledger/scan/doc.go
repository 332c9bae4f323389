// Package scan reads a folder on disk and makes a [ledger.Tree] of it.
//
//	before, err := new(scan.Scanner).Scan(ctx, dir, nil)
//	…                                                      // somebody works in dir
//	after, err := new(scan.Scanner).Scan(ctx, dir, before)
//
// # How it is fast, and when it looks again
//
// A scan that is given the tree of the scan before asks the system once for
// every file, and once for every folder that it opens: nothing is listed, read,
// sorted or hashed whose stamps did not move, and the two trees share it.
// Stamps are believed only on file systems that keep time by this machine's
// clock, on the file system of the root, and only if they are older than the
// start of the scan that read them by more than a tick of that clock. How long
// a tick is, a file without a name is asked on Linux (3 s are taken where it
// cannot be asked, 50 ms for a fine clock). If the wall clock was set back,
// nothing is believed, and so it is where that file does not tell of a write
// through a memory map, as on tmpfs and what lies upon it: there every scan
// reads everything. What is not believed is listed and read again. Files are
// looked at, read, and looked at again.
//
// All this can outlive the process: [Stamps] spells a tree with what its scan
// saw, and [Scanner.Revive] reads that in another process, in the same life of
// the machine. The rule above stays what it is; whether the wall clock was set
// back is asked of the clock that counts from the start of the machine, which
// goes on from one process to the next. So it is on Linux only. Stamps are to
// be taken only from where nobody else could write them: keep their digest
// where it cannot be changed.
//
// # What is not promised
//
// A scan is not a snapshot: the tree is the state of one moment only if nobody
// writes meanwhile. A write through a memory map moves no time stamp until the
// system writes it back, so a later scan can miss it: end the processes that
// may hold one first.
package scan
