// Command ratelimit runs the plan beside it: it gives a small HTTP service a
// rate limiter, test first, in a copy of the service that it throws away again.
//
//	go run ./examples/ratelimit
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/plan"
)

func main() {
	folder := flag.String("example", "examples/ratelimit", "`folder` of plan.toml and the service")
	keep := flag.Bool("keep", false, "keep the copy, to look at what became of the service")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *folder, *keep)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run copies the service and carries out the plan in the copy.
func run(ctx context.Context, folder string, keep bool) error {
	dir, err := os.MkdirTemp("", "ratelimit-")
	if err != nil {
		return err
	}
	if keep {
		fmt.Println("the service is in", dir)
	} else {
		defer os.RemoveAll(dir)
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(folder, "service"))); err != nil {
		return err
	}
	draft, err := plan.ReadFile(filepath.Join(folder, "plan.toml"))
	if err != nil {
		return err
	}
	locked, err := plan.Lock(draft, plan.Terms{})
	if err != nil {
		return err
	}
	c := exec.Controller{Dir: dir, Executor: &shell.Executor{}, Observer: progress()}
	report, err := c.Run(ctx, locked)
	fmt.Print("\n", report)
	return err
}

// progress prints a line for what happens.
func progress() exec.Observer {
	var begun time.Time
	return exec.Observer{
		StepStarted: func(e exec.Event) { begun = e.Time },
		Recovering:  func(e exec.Event) { fmt.Printf("  %s  failed, next: %s\n", e.Step, e.Next) },
		StepDone: func(e exec.Event) {
			outcome := "done"
			if e.Err != nil {
				outcome = e.Err.Error()
			}
			fmt.Printf("  %s  %s, %.1f s\n", e.Step, outcome, e.Time.Sub(begun).Seconds())
		},
	}
}
