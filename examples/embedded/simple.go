package main

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// simple runs a plan of shell commands in dir.
func simple(ctx context.Context, path, dir string) error {
	draft, err := native.ReadFile(path)
	if err != nil {
		return err
	}
	locked, err := plan.Lock(draft, plan.LockOptions{}) // Controller.Lock also asks gates, and binds to the folder
	if err != nil {
		return err
	}
	c := exec.Controller{Dir: dir, Gates: builtin.Gates(), Executors: exec.Default(&shell.Executor{})}
	report, err := c.Run(ctx, locked)
	fmt.Print(report) // never nil: what was done so far
	return err
}
