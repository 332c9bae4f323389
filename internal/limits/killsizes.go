package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
)

const (
	goalKillSizes = "from SIGKILL to the next step, of commands"
	goalMemSizes  = "memory of the controller"
)

// killsInSizes measures what goes on after a SIGKILL in trees of several sizes,
// of a run whose steps are commands, and the most memory that a controller had.
func (s settings) killsInSizes(ctx context.Context, all *table) error {
	if !s.wants(goalKillSizes, goalMemSizes) {
		return nil
	}
	for name := range strings.SplitSeq(s.sizes, ",") {
		dir, err := s.planted("killed-"+name, name)
		if err != nil {
			return err
		}
		took, most, err := killedOften(ctx, "commands", dir, max(3, s.rounds/2))
		if err != nil {
			return err
		}
		m := median(took)
		*all = append(*all, row{goal: goalKillSizes, tree: name + " entries", ours: shown(m), target: "≤ 25 ms",
			judged: true, met: m <= 25*time.Millisecond},
			row{goal: goalMemSizes, tree: name + " entries", ours: fmt.Sprintf("%d MiB", most/mib), target: "≤ 300 MiB",
				judged: true, met: most <= 300*mib})
	}
	return nil
}

// commandChild is the controller that is killed: it begins a run or takes it
// up, and stays in its third step.
func commandChild(dir string) {
	const stays = "echo text > half-done; echo wrote; while :; do sleep 1; done"
	locked, err := jobs("filesystem", 1, []job{{run: "true"}, {run: "true"}, {run: stays}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	c := commands(dir, filepath.Join(filepath.Dir(dir), "state"), &commander{before: func(w exec.Work) {
		if w.Step.Address == "3.1" {
			fmt.Println("here")
		}
	}})
	c.Observe = func(_ context.Context, e event.Event) {
		if e.Kind == event.Output && strings.Contains(string(e.Output), "wrote") {
			fmt.Println("wrote")
		}
	}
	report, err := c.Resume(context.Background(), locked, "")
	if errors.Is(err, exec.ErrNoRun) {
		report, err = c.Run(context.Background(), locked)
	}
	fmt.Fprintln(os.Stderr, report, err)
	os.Exit(1)
}
