// Package filelog keeps a checkpoint.Log in one file.
//
// The file is a header and frames, one for each batch, behind which lie zeros
// that the next batch overwrites. A frame verifies by itself: what a crash left
// of the last one is told from damage, and cut off. Beside the file lies its
// head, how far the log once reached; a [Witness] keeps the same outside of the
// workspace. So a log that is shorter than it was, or another, is refused.
//
//	log, err := filelog.Open(ctx, "w/.planlock/runs/1/journal")
//	journal, err := checkpoint.OpenJournal(ctx, log, "1", nil)
//
// docs/journal-and-store.md specifies the files.
package filelog
