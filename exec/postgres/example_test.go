package postgres_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/postgres"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate/builtin"
)

// contents stands for what all sides share: an object store, or a database.
var contents checkpoint.Blobs

// The owner of runs gives attempts away, and alone judges what comes back.
func Example_owner() {
	ctx := context.Background()
	queue, err := postgres.Open(ctx, os.Getenv("PLANLOCK_JOBS"), postgres.Config{Workspace: "shop"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer queue.Close()
	away := &remote.Executor{Jobs: queue, Blobs: contents, As: &shell.Executor{}}
	c := &exec.Controller{Dir: ".", Blobs: contents, Gates: builtin.Gates(), Executors: exec.Default(away)}
	_ = c // c.Run, as with any other executor
}

// A worker, on as many machines as are needed, carries attempts out until it is
// told to end, and gives back what it has not finished.
func Example_worker() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	queue, err := postgres.Open(ctx, os.Getenv("PLANLOCK_JOBS"), postgres.Config{Workspace: "shop"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer queue.Close()
	w := &remote.Worker{Jobs: queue, Blobs: contents, Executors: exec.Default(&shell.Executor{}), At: 2}
	if err := w.Run(ctx); err != nil {
		fmt.Println(err)
	}
}
