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
//	blobs, err := folder.Open(ctx, "w/.planlock/objects")
//	store := checkpoint.NewStore(blobs)
//	freed, err := blobs.Collect(ctx, needed, false) // see Store.References
//	read, err := blobs.Check(ctx, func(f folder.Fault) { … })
//
// docs/journal-and-store.md specifies the files.
package folder
