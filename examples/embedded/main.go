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
	dir, err := os.MkdirTemp("", "embedded-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Println("— simple —")
	if err := os.Mkdir(dir+"/simple", 0o755); err != nil {
		return err
	}
	if err := simple(ctx, path, dir+"/simple"); err != nil {
		return err
	}
	fmt.Println("\n— composed —")
	if err := os.Mkdir(dir+"/composed", 0o755); err != nil {
		return err
	}
	draft, err := native.ReadFile(path)
	if err != nil {
		return err
	}
	scribe := agent{ask: func(_ context.Context, task string) (string, error) {
		return "Hello reader (" + task + ")",
			nil
	}}
	c := composed(dir+"/composed", scribe, &checkpoint.Memory{}, func(e event.Event, f *history.StepCompleted) {
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
