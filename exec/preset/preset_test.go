package preset_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/preset"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// TestLadders pins the rungs of every preset, in order.
func TestLadders(t *testing.T) {
	want := map[string]string{
		"contract":   "retry backup ask",
		"spec":       "backup retry ask",
		"phase":      "feedback backup ask",
		"assistant":  "retry backup pivot research ask",
		"reflective": "reflect backup ask",
	}
	for _, p := range preset.All() {
		var rungs []string
		for _, r := range p.Ladder {
			rungs = append(rungs, r.Name())
		}
		if got := strings.Join(rungs, " "); got != want[p.Name] {
			t.Errorf("%s climbs %s, want %s", p.Name, got, want[p.Name])
		}
		if p.Doc == "" || len(p.Views) == 0 {
			t.Errorf("%s has no sentence, or no views", p.Name)
		}
		delete(want, p.Name)
	}
	if len(want) > 0 {
		t.Errorf("presets are missing: %v", want)
	}
}

// TestNumbersOfLadders fails if a limit of a preset is moved by one.
func TestNumbersOfLadders(t *testing.T) {
	want := map[string]recovery.Ladder{
		"contract": {recovery.Retry{Backoff: recovery.Backoff{First: time.Second, Most: 30 * time.Second}},
			recovery.Backup{}, recovery.Ask{}},
		"spec":  {recovery.Backup{}, recovery.Retry{}, recovery.Ask{}},
		"phase": {recovery.Feedback{Rounds: 3}, recovery.Backup{}, recovery.Ask{Always: true}},
		"assistant": {recovery.Retry{Times: 3, Approaches: true,
			Backoff: recovery.Backoff{First: time.Second, Most: 8 * time.Second, Always: true}},
			recovery.Backup{}, recovery.Pivot{Times: 3}, recovery.Research{Times: 2}, recovery.Ask{Always: true}},
		"reflective": {recovery.Reflect{Times: 2, Confidence: 0.70}, recovery.Backup{}, recovery.Ask{}},
	}
	for _, p := range preset.All() {
		if diff := cmp.Diff(want[p.Name], p.Ladder); diff != "" {
			t.Errorf("%s (-want +got):\n%s", p.Name, diff)
		}
	}
}

func TestNamed(t *testing.T) {
	for _, p := range preset.All() {
		name := p.Name
		if p, err := preset.Named(name); err != nil || p.Name != name {
			t.Errorf("%s: got %q, %v", name, p.Name, err)
		}
	}
	if p, err := preset.Named(""); err != nil || p.Name != "contract" {
		t.Errorf("without a name: got %q, %v", p.Name, err)
	}
	var unknown *preset.UnknownError
	if _, err := preset.Named("Spec"); !errors.As(err, &unknown) || !strings.Contains(err.Error(), "contract, spec, phase, assistant, reflective") {
		t.Errorf("got %v, want an error that names all presets", err)
	}
}

func TestOfAPlan(t *testing.T) {
	p := &plan.Plan{Execution: plan.Execution{Extra: []plan.Setting{{Key: "other"},
		{Key: "preset", Value: plan.Value{Kind: "string", Text: "phase"}}}}}
	if got := preset.Of(p); got != "phase" {
		t.Errorf("got %q", got)
	}
	if got := preset.Of(&plan.Plan{}); got != "" {
		t.Errorf("got %q from a plan that says nothing", got)
	}
}

// TestTriggersOfSpec are the measured thresholds, none of them left to a
// default that may move.
func TestTriggersOfSpec(t *testing.T) {
	spec, err := preset.Named("spec")
	if err != nil {
		t.Fatal(err)
	}
	want := history.Triggers{Consecutive: 3, Window: 5, SameBackup: 3, Exhausted: 3, BackupRate: 0.60,
		MismatchRate: 0.50, RetryGrowth: 0.50, ViolationRate: 0.40}
	if diff := cmp.Diff(want, spec.Triggers); diff != "" {
		t.Errorf("triggers (-want +got):\n%s", diff)
	}
}

// TestPresetsAreValues changes one and looks at the next.
func TestPresetsAreValues(t *testing.T) {
	p := preset.Contract()
	p.Ladder[0], p.Views[0] = nil, ""
	if again := preset.Contract(); again.Ladder[0] == nil || slices.Contains(again.Views, "") {
		t.Error("a preset can be changed from outside")
	}
}
