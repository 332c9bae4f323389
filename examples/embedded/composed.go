package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
)

// polite is a gate of the host's own: it objects to shouting.
var polite = gate.New(
	gate.Info{Name: "polite", Doc: "objects to text in capitals", Level: gate.BlocksStep,
		Phases: []gate.Phase{gate.During}},
	func(_ context.Context, pass *gate.Pass) error {
		if out := pass.Output; out != nil && out.Text != "" && out.Text == strings.ToUpper(out.Text) {
			pass.Reportf("", "the executor shouts: %q", out.Text)
		}
		return nil // an error means "could not decide", never "no"
	})

// An agent is an executor of the host's own: it asks somebody what to write.
type agent struct {
	ask func(ctx context.Context, task string) (string, error)
}

func (a agent) Execute(ctx context.Context, w exec.Work) (exec.Outcome, error) {
	text, err := a.ask(ctx, w.Method.Description)
	if err != nil {
		return exec.Outcome{}, fmt.Errorf("agent: step %s: %w", w.Step.Address, err)
	}
	return exec.Outcome{Output: text}, os.WriteFile(filepath.Join(w.Dir, "greeting.txt"), []byte(text+"\n"), 0o644)
}

// composed is a controller made of the host's own parts; blobs is proven by
// checkpointtest.
func composed(dir string, a agent, blobs checkpoint.Blobs,
	watch func(event.Event, *history.StepCompleted)) *exec.Controller {
	return &exec.Controller{Dir: dir, Executors: exec.Default(a), Gates: append(builtin.Gates(), polite), Blobs: blobs,
		Observe: event.On(watch)}
}
