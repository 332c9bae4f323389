// Package temporal has attempts of a run carried out by workers that a Temporal
// service (temporal.io) dispatches to: it is the queue of package remote there. And it
// has whole runs carried out by owners that the service finds, one after another
// where they die. Either goes without the other.
//
// # Attempts
//
// The owner of a run is an ordinary controller. It gives attempts away, and
// decides, judges and records as ever:
//
//	config := temporal.Config{Workspace: "orders", Client: client.Options{HostPort: "temporal.example.org:7233"}}
//	queue, err := temporal.OpenQueue(ctx, config)
//	x := &remote.Executor{Jobs: queue, Blobs: blobs, As: &shell.Executor{}}
//	c := &exec.Controller{Blobs: blobs, Gates: builtin.Gates(), Executors: exec.Default(x)}
//
// A worker, anywhere, takes them:
//
//	executors := exec.Default(&shell.Executor{})
//	source, err := temporal.OpenSource(ctx, config, executors)
//	w := &remote.Worker{Jobs: source, Blobs: blobs, Executors: executors}
//	err = w.Run(ctx)
//
// # How a job travels
//
// A job is a workflow, whose id is made of the key of the job, so that no key is
// carried out twice. The workflow decides nothing: it has one activity wait in a
// task queue for workers, and ends as that ends. Each executor, with its
// identity, has a task queue of its own ([TaskQueue]), so that a job waits where
// workers are that may take it, and Temporal's own means show which jobs find
// none. Workers poll while a lane of theirs is free, and no longer.
//
// # Runs
//
// An [Owner] is a process that carries runs out which somebody has started,
// here or elsewhere, beside others like it. What carries one out is the host's: as a
// rule a controller, which begins the run or resumes it in a folder that is made anew.
//
//	o := &temporal.Owner{Config: config, At: 4, Advance: advance, Answer: answer}
//	err := o.Run(ctx)
//
// Whoever wants a plan carried out starts a [Task], looks how its run stands, and answers
// or cancels, by [Runs]:
//
//	runs, err := temporal.OpenRuns(ctx, config)
//	err = runs.Start(ctx, temporal.Task{Key: "invoice-4711", Plan: digest})
//	state, err := runs.State(ctx, "invoice-4711")
//	err = runs.Answer(ctx, "invoice-4711", ask.Answer{Question: "q1", Choice: "r", By: "anna"})
//	state, err = runs.Wait(ctx, "invoice-4711")
//
// A run is a workflow. It decides nothing: it has one activity after another wait
// for an owner, each of which goes on with the run until that has ended, waits for a
// person, or the owner is gone; between them it waits for an answer. Owners
// share the journals, contents and questions (package checkpoint/postgres keeps all
// three): a run is resumed by what its journal says, and by nothing that Temporal has.
//
// # What is promised
//
// One owner at a time has a run. One that is killed, cut off or told to end has
// another one go on from the last checkpoint; where two think that they have it, the
// journal lets one write. A run has its id before it begins, and a key begins one run.
// An answer was kept, by the rules of every answer, when [Runs.Answer] returns. A run that is
// cancelled stands at a checkpoint, says in its journal who wanted that, and can be
// gone on with.
//
// One worker at a time carries out a job. It has to be heard of every
// Config.Silence; the service finds out that it is gone, and the job is
// [remote.ErrLost]. A worker that cannot reach the service stops by itself within
// the same time, and what it gives back later is refused. Temporal repeats
// nothing by itself but what a worker hands back undone: what comes after a
// failure is decided by the plan. An owner that brings a run no further, by an error
// say, has it gone on with after a while, up to a minute.
//
// A service that is gone is waited for, and Config.Log told. The contexts of the
// calls say how long; their errors name the address then. Where it is gone for
// longer than Config.Silence, jobs that were being carried out may be lost, and
// are given away again.
//
// Payloads are jobs, results, states and answers of a few hundred bytes: digests of
// trees and outputs, never trees, files or facts. What is too long to be one is
// refused. A run has a new history after a thousand events.
//
// Each workflow has a version. Histories of each version that was ever released are in
// testdata, and those that run on go on as they began.
//
// # What is not
//
// The history that Temporal keeps is bookkeeping. The truth about a run is in its
// journal, and judging is the work of its owner.
//
// Temporal forgets a job, and a task, when the retention of its namespace is over: from then
// on its key could be carried out again. Owners never give a key of a job away so late.
//
// Jobs of an owner that died stay, and are carried out once more than needed;
// [Queue.Recall] calls them back.
package temporal
