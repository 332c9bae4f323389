// Package folder keeps checkpoint.Blobs in a folder, for any number of
// processes at a time.
//
// Contents lie in packs: append-only files of items, each behind a header that
// verifies by itself. Each opening writes a pack of its own, and reads those of
// all others; a mark in a pack says that what is before it is durable, so that
// nothing before it has to be hashed when the folder is opened. The stored
// index spares reading the packs, and is advice: it is never synced, and is
// made anew where it does not fit.
//
// A content that is put is gathered in memory, or, if it is large, written to
// the pack at once; blocks are shared with the file it comes from where the
// file system can do that. Sync writes what is gathered, syncs the one file,
// and adds a mark behind it, which is not synced itself: without it the next
// opening hashes a little more. What a crash leaves behind the last mark is
// found by [Blobs.Get] as far as it is whole, and denied by [Blobs.Has], so
// that whoever relies on it puts it again.
//
// Nothing is ever written over. [Blobs.Collect] copies what is needed of packs
// that are mostly garbage into the own pack, syncs that, and only then removes
// them: at every moment each needed content lies in some pack that is whole. A
// pack that another process writes is locked, and left alone; one that was
// taken away while it is read is looked for in the others.
//
//	blobs, err := folder.Open(ctx, "w/.planlock/objects")
//	store := checkpoint.NewStore(blobs)
//	freed, err := blobs.Collect(ctx, needed, false) // see Store.References
//	read, err := blobs.Check(ctx, func(f folder.Fault) { … })
//
// docs/journal-and-store.md specifies the files.
package folder
