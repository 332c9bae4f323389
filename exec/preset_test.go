package exec_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

func TestAPlanMayChooseItsPreset(t *testing.T) {
	text := strings.Replace(twoSteps(), "[defaults]", "[execution]\npreset = \"phase\"\n\n[defaults]", 1)
	for chosen, want := range map[string]string{"": "phase", "spec": "spec"} {
		b := exectest.New(t, text, workspace, goodScript)
		b.Controller.Preset = chosen
		run := b.Run(t)
		run.Want(t, history.Achieved)
		if got := run.Report.Run.Started.Preset; got != want {
			t.Errorf("chosen %q: the run is under %q, want %q", chosen, got, want)
		}
		if b.Controller.Preset != chosen {
			t.Errorf("the host's controller was changed to %q", b.Controller.Preset)
		}
	}
	b := exectest.New(t, twoSteps(), workspace, goodScript)
	if got := b.Run(t).Report.Run.Started.Preset; got != "contract" {
		t.Errorf("where nobody chooses the run is under %q", got)
	}
}

func TestAnUnknownPresetIsRefused(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, goodScript)
	b.Controller.Preset = "heroic"
	var refused *exec.RefusedError
	if _, err := b.Controller.Lock(context.Background(), b.Draft); !errors.As(err, &refused) ||
		!strings.Contains(err.Error(), `"heroic" is none of contract, spec`) {
		t.Errorf("got %v", err)
	}
}

// TestARunGoesOnUnderItsPreset resumes a run that was interrupted: under no
// preset, its own, and another.
func TestARunGoesOnUnderItsPreset(t *testing.T) {
	for chosen, refusal := range map[string]string{"": "", "phase": "", "spec": `under preset "phase", and is to go on under "spec"`} {
		b := exectest.New(t, twoSteps(), workspace, failing(1))
		b.Controller.Preset = "phase"
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(context.Background())
		b.Controller.Observe = event.On(func(event.Event, *history.Recovery) { cancel(stop) })
		locked := b.Lock(t)
		report, err := b.Controller.Run(ctx, locked)
		if !errors.Is(err, stop) {
			t.Fatalf("got %v, want that it stops", err)
		}
		b.Controller.Preset = chosen
		b.Controller.Observe = nil
		report, err = b.Controller.Resume(context.Background(), locked, report.Run.Started.Run)
		var refused *exec.RefusedError
		switch {
		case refusal == "" && err != nil:
			t.Errorf("%q: %v", chosen, err)
		case refusal != "" && (!errors.As(err, &refused) || !strings.Contains(err.Error(), refusal) ||
			!strings.HasPrefix(refused.Hint, `leave the preset out, or name "phase"`)):
			t.Errorf("%q: got %v, want a refusal that names both, and says how to go on", chosen, err)
		case refusal == "" && report.Run.Started.Preset != "phase":
			t.Errorf("%q: it went on under %q", chosen, report.Run.Started.Preset)
		}
	}
}

// TestALockIsForAPreset runs a plan under another preset than it was locked
// for.
func TestALockIsForAPreset(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, goodScript)
	locked := b.Lock(t)
	b.Controller.Preset = "phase"
	var moved *plan.LockError
	if _, err := b.Controller.Run(context.Background(), locked); !errors.As(err, &moved) {
		t.Errorf("got %v, want that the envelope moved", err)
	}
}
