// Package filelog keeps a checkpoint.Log in one file.
//
// The file is a header and frames, one for each batch, behind which lie zeros
// that the next batch overwrites. A frame verifies by itself: what a crash left
// of the last one is told from damage, and cut off. Beside the file lies its
// head, how far the log once reached; a [Witness] keeps the same outside of the
// workspace. So a log that is shorter than it was, or another, is refused.
//
// An append looks whether the file is still as long as it should be, writes one
// frame, tells the disk to begin, looks whether the file is still the one at
// its path, syncs, and then writes the head and the witness, which only say how
// far the log surely reached: they may be old, and are never ahead. The frame
// of a batch that is only written stays in memory until a sync, since the
// witness holds its hash.
//
// Opening reads all frames. What follows the last whole one is a crash's doing
// if it can be explained by sectors that were never written, and by nothing
// else; what the head does not vouch for is written once more and synced, since
// a sync that failed may have left it in memory only.
//
//	journal, err := filelog.OpenJournal(ctx, "w/.planlock/runs/1/journal", "1", nil)
//
// docs/journal-and-store.md specifies the files.
package filelog
