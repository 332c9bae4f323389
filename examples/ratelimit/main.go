// Command ratelimit runs the plan beside it: it gives a small HTTP service a
// rate limiter, test first, in a copy of the service.
//
//	go run ./examples/ratelimit             # in a temporary folder, gone afterwards
//	go run ./examples/ratelimit -dir DIR    # in DIR, which stays; again goes on where the first stopped
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

func main() {
	folder := flag.String("example", "examples/ratelimit", "`folder` of plan.toml and the service")
	dir := flag.String("dir", "", "`folder` to work in and to keep; a run that was stopped there goes on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *folder, *dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run carries out the plan in dir, or in a temporary folder if dir is empty.
func run(ctx context.Context, folder, dir string) error {
	if dir != "" {
		report, err := execute(ctx, folder, dir)
		fmt.Print("\n\n", report)
		return err
	}
	temporary, err := os.MkdirTemp("", "ratelimit-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	report, err := execute(ctx, folder, filepath.Join(temporary, "service"))
	// What the report advises to do next needs the folder, and that goes away.
	text, _, _ := strings.Cut(report.String(), "\nnext ")
	fmt.Print("\n\n", text, "\nnext  To keep the folder and look around in it, add  -dir DIR\n")
	return err
}

// execute makes a copy of the service in dir, unless there is one, and runs the
// plan in it, or goes on with the run that began there. The report is never
// nil.
func execute(ctx context.Context, folder, dir string) (*exec.Report, error) {
	if err := copyService(filepath.Join(folder, "service"), dir); err != nil {
		return &exec.Report{}, err
	}
	draft, err := native.ReadFile(filepath.Join(folder, "plan.toml"))
	if err != nil {
		return &exec.Report{}, err
	}
	locked, err := plan.Lock(draft, plan.LockOptions{})
	if err != nil {
		return &exec.Report{}, err
	}
	fmt.Printf("The plan runs in %s. The first time takes longer: Go has much to compile.\n\n", dir)
	c := exec.Controller{Dir: dir, Gates: builtin.Gates(), Executors: exec.Default(&shell.Executor{}),
		Observe: progress}
	report, err := c.Resume(ctx, locked, "") // the latest run in the folder
	if errors.Is(err, exec.ErrNoRun) {
		report, err = c.Run(ctx, locked)
	}
	return report, err
}

// copyService fills dir, all at once: a folder that has something in it is left
// as it is.
func copyService(from, dir string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil
	}
	part := dir + ".part"
	if err := errors.Join(os.RemoveAll(part), os.CopyFS(part, os.DirFS(from))); err != nil {
		return err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Rename(part, dir)
}

// progress tells on one line what is at work; the report says the rest.
func progress(_ context.Context, e event.Event) {
	switch f := e.Fact.(type) {
	case *history.Started:
		fmt.Print("At work on step")
	case *history.Resumed:
		fmt.Print("Back at work on step")
	case *history.StepStarted:
		fmt.Print(" ", e.Step)
	case *history.Recovery:
		fmt.Printf(" (failed, trying %s)", f.Method)
	}
}
