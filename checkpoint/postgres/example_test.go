package postgres_test

import (
	"context"
	"fmt"
	"os"

	"github.com/planlock/planlock/checkpoint/postgres"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan"
)

// A service whose runs outlive the machine that they begin on: contents and
// journals are in the database, so another machine with the same workspace takes
// a run up where this one left it.
func Example() {
	carryOut := func(ctx context.Context, dir string, locked *plan.Locked) error {
		store, err := postgres.Open(ctx, os.Getenv("DATABASE_URL"), postgres.Config{Workspace: "billing"})
		if err != nil {
			return err
		}
		defer store.Close()
		c := exec.Controller{Dir: dir, Executors: exec.Default(&shell.Executor{}), Gates: builtin.Gates(),
			Blobs: store.Blobs(), Runs: store.Runs()}
		report, err := c.Run(ctx, locked)
		fmt.Print(report)
		return err
	}
	_ = carryOut // who has a database calls it
}
