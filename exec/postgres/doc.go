// Package postgres is the queue of package remote in a PostgreSQL database:
// attempts of a run are carried out by workers on any machine that reaches it.
// Jobs are kept and moved by River (github.com/riverqueue/river).
//
//	queue, err := postgres.Open(ctx, "postgres://planlock@db.example/planlock", postgres.Config{})
//	defer queue.Close()
//
//	// The owner of runs:
//	c := &exec.Controller{Blobs: blobs, Gates: builtin.Gates(),
//		Executors: exec.Default(&remote.Executor{Jobs: queue, Blobs: blobs, As: &shell.Executor{}})}
//
//	// A worker, anywhere:
//	w := &remote.Worker{Jobs: queue, Blobs: blobs, Executors: exec.Default(&shell.Executor{})}
//	err = w.Run(ctx)
//
// Open makes the tables, in the schema planlock_jobs. Its role needs CREATE on
// the database once; afterwards what it owns is enough.
//
// # What is promised
//
// A job is had by one worker at a time: by who holds its lock in the database,
// on a connection of its lane. Where that process ends, or its connection is cut,
// the lock is free at once; a machine that says nothing any more loses it after
// half a minute. The owner sees that within a second: the result is
// [remote.ErrLost], and the job is called back in the same transaction, so that
// what is given back later is refused. A worker that loses its connection is told
// so by the context of its lease. Where the server itself is started anew, all
// jobs that are carried out are lost, and those that wait are not.
//
// A result is committed with the end of its job, or not at all. What was given
// away twice under a key is carried out once, also after it has ended. River
// tries nothing again: the ladder of a plan decides.
//
// A server that is gone, starts, or is too slow is waited for, until the context
// ends. What it refuses is an error that names database and host, and never the
// password.
//
// # What is not
//
// Locks belong to connections, so a pooler in between has to pool sessions, not
// transactions. Jobs that have ended are kept for a week, and removed when a
// queue is opened. Each worker has a connection for each of its lanes
// ([remote.Worker.At]) that is at work, kept for a moment for the next job; each queue
// has one on which it is told of jobs and results, and a pool of a few. A job that was returned is due by
// the clock of who returned it.
package postgres
