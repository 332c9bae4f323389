package temporal_test

import (
	"context"
	"log"

	"go.temporal.io/sdk/client"

	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/exec/temporal"
	"github.com/planlock/planlock/gate/builtin"
)

// config is what an owner and its workers have in common.
var config = temporal.Config{
	Workspace: "orders",
	Client:    client.Options{HostPort: "temporal.example.org:7233", Namespace: "plans"},
}

// An owner is an ordinary controller, whose executor gives attempts away. Contents
// are in a folder here that all machines share; an object store does as well.
func ExampleQueue() {
	ctx := context.Background()
	blobs, err := folder.Open(ctx, "/srv/contents")
	if err != nil {
		log.Fatal(err)
	}
	queue, err := temporal.OpenQueue(ctx, config)
	if err != nil {
		log.Fatal(err)
	}
	defer queue.Close()
	c := &exec.Controller{
		Dir:       ".",
		Blobs:     blobs,
		Gates:     builtin.Gates(),
		Executors: exec.Default(&remote.Executor{Jobs: queue, Blobs: blobs, As: &shell.Executor{}}),
	}
	_ = c // c.Run(ctx, lock), as on one machine
}

// A worker needs nothing of a run but the contents.
func ExampleSource() {
	ctx := context.Background()
	blobs, err := folder.Open(ctx, "/srv/contents")
	if err != nil {
		log.Fatal(err)
	}
	executors := exec.Default(&shell.Executor{})
	source, err := temporal.OpenSource(ctx, config, executors)
	if err != nil {
		log.Fatal(err)
	}
	defer source.Close()
	worker := &remote.Worker{Jobs: source, Blobs: blobs, Executors: executors, At: 2}
	if err := worker.Run(ctx); err != nil {
		log.Fatal(err)
	}
}
