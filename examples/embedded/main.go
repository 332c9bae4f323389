package main

import (
	"context"
	"fmt"
	"os"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan/native"
)

const planFile = "examples/embedded/plan.toml"

func main() {
	if err := run(context.Background(), planFile); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run shows both, each in a folder that is thrown away.
func run(ctx context.Context, path string) error {
	fmt.Println("— simple —")
	err := inTemporaryFolder(func(dir string) error { return simple(ctx, path, dir) })
	if err != nil {
		return err
	}
	fmt.Println("\n— composed —")
	return inTemporaryFolder(func(dir string) error { return runComposed(ctx, path, dir) })
}

// runComposed runs the plan with a scribe that needs no model, and contents that
// are kept in memory.
func runComposed(ctx context.Context, path, dir string) error {
	draft, err := native.ReadFile(path)
	if err != nil {
		return err
	}
	scribe := agent{ask: func(_ context.Context, task string) (string, error) {
		return "Hello (" + task + ")", nil
	}}
	c := composed(dir, scribe, &checkpoint.Memory{}, func(e event.Event, f *history.StepCompleted) {
		fmt.Println("step", e.Step, "is done by its", f.Method, "way")
	})
	locked, err := c.Lock(ctx, draft)
	if err != nil {
		return err
	}
	report, err := c.Run(ctx, locked)
	fmt.Println(report.Status())
	return err
}

// inTemporaryFolder calls do with a folder that is gone afterwards.
func inTemporaryFolder(do func(dir string) error) error {
	dir, err := os.MkdirTemp("", "embedded-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return do(dir)
}
