package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/program"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan/native"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: agent PROGRAM")
		os.Exit(2)
	}
	report, err := run(context.Background(), "examples/embedded/plan.toml", os.Args[1])
	fmt.Print(report)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run carries out a plan with a program as executor, in a folder that is thrown
// away.
func run(ctx context.Context, path, agent string) (*exec.Report, error) {
	dir, err := os.MkdirTemp("", "agent-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	draft, err := native.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if agent, err = filepath.Abs(agent); err != nil {
		return nil, err
	}
	c := &exec.Controller{Dir: dir, Gates: builtin.Gates(),
		Executors: exec.Default(&program.Executor{Args: []string{agent}})}
	locked, err := c.Lock(ctx, draft)
	if err != nil {
		return nil, err
	}
	return c.Run(ctx, locked)
}
