// Package disk is the one way to files that must not be lost: journals, stores,
// locks, views, and the workspace as far as planlock writes there. A test puts
// a [Layer] in its place, in which operations fail or the power goes.
//
// A nil *[Disk] is the operating system itself, and costs nothing: [Root] and
// [File] are an *os.Root and an *os.File with a few methods, and each of them
// calls the method of that name. A Disk travels in a context:
//
//	d := disk.From(ctx)                    // nil, unless a test put one there
//	root, err := d.OpenRoot("w/.planlock") // nothing leads out of it
//	f, err := root.OpenFile("x", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
//	_, err = f.WriteAt(content, 0)
//	err = f.SyncData()                     // the content is durable
//	err = root.SyncFolder(".")             // and now its name is
//
// # How it gets where it is needed
//
// No exported function or field of planlock takes a Disk, so that the seam is
// no part of its API. It is in the context that a caller passes:
// Controller.Run, Resume, Rollback and Lock, hold.Workspace, Store.Snapshot and
// Store.Restore, folder.Open, filelog.Open and filelog.Read. Whoever opens
// something looks the Disk up once and keeps it with what was opened. Outside
// of this module nobody can name [With], so there it is always nil.
//
// Code that goes around these methods (a raw call of the system, for speed)
// asks [Disk.Plain] first, and takes the slow way where that says no; both ways
// must do the same operations in the same order. What writes nothing (a scan)
// need not come here.
//
// # Durability
//
// What a caller may rely on is the least that POSIX gives, and package powercut
// takes away all the rest: contents are durable once the file was synced, a
// name once the folder that holds it was. Until then each write, truncation,
// new name, rename, removal, mode and time may be lost, alone or with others,
// in any order, and a write also in part. After a sync that failed a second one
// may succeed and the data be gone.
//
// Not promised: locks are outside of it, they do not outlive a process anyway.
package disk
