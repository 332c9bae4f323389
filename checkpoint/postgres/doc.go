// Package postgres keeps what planlock keeps of runs (contents, journals,
// questions and answers) in a PostgreSQL database, so that a run can be taken
// up on another machine than the one that it began on.
//
//	store, err := postgres.Open(ctx, os.Getenv("DATABASE_URL"), postgres.Config{Workspace: "billing"})
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	c := exec.Controller{Blobs: store.Blobs(), Runs: store.Runs()}
//
// What it promises:
//
//   - A log has one writer. Whoever opens one takes an advisory lock of the
//     server, which is free again when the connection is gone, and gets the next
//     epoch of the log. Each batch states its epoch and the position that it
//     follows, and the server compares both in the statement that adds it: an
//     earlier writer that lives on is refused (checkpoint.ErrFenced), whatever
//     became of its lock.
//   - Who has a log open is told (checkpoint.Holders) by a look at the locks of
//     the server. A writer that has nothing to add notices within seconds that its
//     connection is gone, and takes its lock again.
//   - A batch that was acknowledged is committed, and is there once. Where a
//     connection breaks, the log connects again and says its batch again, which
//     the server takes only where it has not yet; a server that is restarted is
//     waited for, up to a minute. After that, and after a refusal, the log is dead
//     (checkpoint.ErrDead).
//   - What is only written (checkpoint.LogWriter) is committed without waiting
//     for the server's disk: it outlives this process. A crash of the server may
//     take it, the last batches first, since commits reach the disk in their
//     order; the log then does not go on behind what is missing.
//   - Reading takes no lock, and holds a few mebibytes of a log in memory.
//   - Contents of up to 64 KiB are gathered, and go to the server many at a
//     time: when a mebibyte of them is there, when a snapshot is returned, and
//     before Sync. Larger ones are streamed in parts of a mebibyte, in one
//     transaction. Contents of gigabytes belong elsewhere: each goes through the
//     server's write-ahead log, and into its backups.
//   - The tables are made when a database is first opened, in a schema of their
//     own, planlock. Those of another version are refused (checkpoint.ErrVersion).
//   - No error has a password in it.
//
// The server must keep what it says it has: fsync and full_page_writes are on
// where nobody turned them off. Where synchronous_commit is off by default,
// connections of this package turn it on. Between them and the server there may be a
// pooler only if it pools sessions, since the locks are of sessions; epochs hold
// in any case.
package postgres
