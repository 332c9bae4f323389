// Package checkpoint keeps what a run must not lose: trees, so that they can be
// restored, and facts, so that they can be proved.
//
// Two small interfaces move bytes, and hosts can bring their own: [Blobs] keeps
// contents by digest, [Log] keeps records in order. Packages folder and filelog
// keep them in files; [Memory] and [MemoryLog] are for tests. Their rules are
// tests in package checkpointtest. Package hold keeps a second controller away
// from a workspace.
//
// What callers hold is built on them. A [Store] keeps snapshots of trees, of
// which only the differences are written, and restores them exactly. A
// [Journal] chains its records by hashes, so that nobody can edit, swap, repeat
// or remove one without being found out; what was cut off or written anew from
// some record on is found by what a filelog.Log keeps beside its file, and for
// sure by a [Head] that was kept elsewhere.
//
//	blobs, err := folder.Open(ctx, "w/.planlock/objects")
//	store := checkpoint.NewStore(blobs)
//	before, err := new(scan.Scanner).Scan(ctx, "w", nil)
//	snap, err := store.Snapshot(ctx, "w", before, record.Snapshot{}) // the next one says snap is its base
//	// … something happens in w …
//	after, err := new(scan.Scanner).Scan(ctx, "w", before)
//	err = store.Restore(ctx, "w", before, after)
//
// All files are specified in docs/journal-and-store.md, and versioned.
//
// Three things make it cheap. What several callers append at one time is one
// batch, and facts that nobody relies on yet are staged for the next one
// ([Journal.Stage]). A small snapshot is carried by the journal
// ([Store.SnapshotInline]), and not synced itself. A restore writes files in
// place, and two workers share it.
//
// [Store.References] lists what a journal needs, so that the rest can be
// removed.
//
// Not promised: contents are not compressed and not encrypted. Owners, extended
// attributes, access lists and hard links between files are not restored.
// Restore does not sync what it writes. A journal proves that it is one piece,
// not who wrote it.
package checkpoint
