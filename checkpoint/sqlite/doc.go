// Package sqlite keeps what runs need in one file, a database of SQLite:
// contents, journals, and the papers of people. It is a module of its own, since
// the driver (modernc.org/sqlite, without cgo) is larger than the library.
//
//	store, err := sqlite.Open(ctx, "/var/lib/host/planlock.db")
//	…
//	defer store.Close()
//	c := exec.Controller{Dir: workspace, Blobs: store.Blobs(), Runs: store.Runs()}
//
// What it promises:
//
//   - Whatever returned without an error is durable: an Append is one commit
//     with one sync (WAL, synchronous=FULL); a Write is a commit without. Contents of up to 1 MiB are gathered in
//     memory, and are durable after Sync, which is one commit for all of them.
//   - Memory is bounded: larger contents are kept in pieces of 1 MiB, 8 of them in a
//     commit, and are there once the last one is; logs are replayed in pages.
//   - Several processes of one machine may use one file at a time. A log has one
//     writer: while that lives, another gets a *checkpoint.HeldError. Where locks are
//     not to be had, or the lock was removed, the later writer fences the earlier one:
//     each Append compares the epoch and the position of its log in its own
//     transaction, and that of an earlier writer gets checkpoint.ErrFenced.
//   - A full disk, a file that cannot be written, is damaged, or is none of ours: the
//     error names the file and says what would help, and nothing of the call is kept.
//     A file that was removed, or replaced by another, takes nothing more.
//
// Beside the file lie those of SQLite (-wal, -shm), and the folder -locks, with
// a file for each log that is open. All of them belong to it while it is
// open; when it is closed, the file alone is all. It has to lie on a disk of this
// machine: SQLite does not share a file over a network. One file serves one
// workspace: an index of runs is that of a workspace.
package sqlite
