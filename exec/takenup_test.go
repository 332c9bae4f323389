package exec_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// TestTakenUp: documents that say that a run waits say that it goes on once it does.
func TestTakenUp(t *testing.T) {
	goesOn := false
	script := maps.Clone(goodScript)
	b := exectest.New(t, twoSteps(), workspace, script)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	b.Controller.Observe = event.On(func(event.Event, *history.StepCompleted) { stop() })
	report, err := b.Controller.Run(ctx, b.Lock(t))
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err, report)
	}
	b.Controller.Observe = nil
	document := filepath.Join(exec.Workspace{Dir: b.Dir}.ViewDir(report.Run.Started.Run), "checkpoint.yaml")
	saysItGoesOn := func() bool {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Error(err)
		}
		return strings.Contains(string(text), "while the run was under way")
	}
	if saysItGoesOn() {
		t.Error("the document of a run that waits says that it goes on")
	}
	script["1.2"] = func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		goesOn = saysItGoesOn()
		return goodScript["1.2"](ctx, w)
	}
	if _, err := b.Controller.Resume(t.Context(), b.Lock(t), ""); err != nil {
		t.Fatal(err)
	}
	if !goesOn {
		t.Error("the document of a run that goes on says that it waits")
	}
}
