// Command host is the least that a host links: an executor, gates, and the store in
// a folder.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/artifacts"
	"github.com/planlock/planlock/gate/conditions"
	"github.com/planlock/planlock/gate/limits"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, path, dir string) error {
	draft, err := native.ReadFile(path)
	if err != nil {
		return err
	}
	locked, err := plan.Lock(draft, plan.LockOptions{})
	if err != nil {
		return err
	}
	c := exec.Controller{Dir: dir, Executors: exec.Default(&shell.Executor{}), Gates: []gate.Gate{artifacts.Gate(), limits.Gate(), conditions.After()}}
	_, err = c.Run(ctx, locked)
	return err
}
