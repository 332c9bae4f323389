// Package temporal has attempts of a run carried out by workers that a Temporal
// service (temporal.io) dispatches to: it is the queue of package remote there.
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
// # What is promised
//
// One worker at a time carries a job out. It has to be heard of every
// Config.Silence; the service finds out that it is gone, and the job is
// [remote.ErrLost]. A worker that cannot reach the service stops by itself within
// the same time, and what it gives back later is refused. Temporal repeats
// nothing by itself but what a worker hands back undone: what comes after a
// failure is decided by the plan.
//
// A service that is gone is waited for, and Config.Log told. The contexts of the
// calls say how long; their errors name the address then. Where it is gone for
// longer than Config.Silence, jobs that were being carried out may be lost, and
// are given away again.
//
// Payloads are jobs and results of a few hundred bytes: digests of trees and
// outputs, never trees, files or facts. What is too long to be one is refused.
//
// The workflow has a version. Histories of each version that was ever released are in
// testdata, and those that run on go on as they began.
//
// # What is not
//
// The history that Temporal keeps is bookkeeping. The truth about a run is in its
// journal, and judging is the work of its owner.
//
// Temporal forgets a job when the retention of its namespace is over: from then
// on its key could be carried out again. Owners never give a key away so late.
//
// Jobs of an owner that died stay, and are carried out once more than needed;
// [Queue.Recall] calls them back.
package temporal
