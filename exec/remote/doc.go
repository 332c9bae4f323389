// Package remote has attempts of steps carried out on other machines.
//
// One controller owns a run: it holds its workspace, its journal and its key,
// and alone decides, judges, records and delivers. An [Executor] of it gives an
// attempt away as a [Job] to a [Queue]. A [Worker], anywhere, takes it from
// there, makes the tree that the attempt begins with in a folder of its own,
// carries it out with an executor of its own, and gives back what was made: a
// tree again, kept in the contents that both share. The owner puts the
// difference into the copy that it works in, and goes on as if it had been
// carried out there. So journals, gates and promises are those of one machine.
//
//	queue := &remote.Memory{}                                    // or one of a database
//	worker := &remote.Worker{Jobs: queue, Blobs: blobs, Executors: exec.Default(&shell.Executor{})}
//	go worker.Run(ctx)
//
//	c := &exec.Controller{Blobs: blobs, Gates: builtin.Gates(),
//		Executors: exec.Default(&remote.Executor{Jobs: queue, Blobs: blobs, As: &shell.Executor{}})}
//
// # What is promised
//
// A job is carried out by one worker at a time. A worker that is gone is found
// out by its queue, the job is lost, and given away again under another key; what
// the first one gives back later is not applied. A worker that is another one
// than the lock was made for does not take the job. What cannot be undone is
// carried out by the owner alone. Trees and outputs go through the contents, and
// are compared with their digests; a queue only carries what a Job and a Result
// have, a few kilobytes. What is moved is what steps change: trees are kept as
// differences, and a worker keeps contents that it read or made, up to a size.
//
// # What is not
//
// Judging is the owner's work. A worker is not told the other steps of a task. A step that writes its test first goes away once
// for each of its phases. Output comes back when the attempt is over, what it
// cost too.
package remote
