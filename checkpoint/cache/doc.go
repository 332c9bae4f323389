// Package cache keeps contents that were read from elsewhere, or put there, in a
// folder too, up to a size: for machines that read the same contents again and again.
//
// Each content is a file, named by its digest. What was not used for longest goes
// first, and nothing that was used since somebody began to hold the cache: then
// more is not kept until he lets go. Whatever is read is compared with its digest
// first; what is damaged is removed, and read from elsewhere again. Nothing is
// synced, and nothing that goes wrong in the folder fails a caller.
//
//	kept, err := cache.Open("/var/cache/planlock", 1<<30, blobs)
//	defer kept.Close()
//	defer kept.Hold()()
//	err = kept.Fetch(ctx, entries)
//
// A folder is one process's at a time: another one is refused.
package cache
