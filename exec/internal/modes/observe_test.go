package modes_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/modes"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/plan"
)

// A tape is the journal of a run, written by hand.
type tape struct {
	t       *testing.T
	records []record.Record
}

func (r *tape) add(step plan.Address, attempt int, facts ...history.Fact) {
	r.t.Helper()
	for _, f := range facts {
		fact, err := history.Located{Where: history.Where{Step: step, Attempt: attempt}, Fact: f}.Encode()
		if err != nil {
			r.t.Fatal(err)
		}
		n := len(r.records) + 1
		r.records = append(r.records, record.Record{Seq: uint64(n), Fact: fact,
			Time: time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC)})
	}
}

func (r *tape) fold() *history.Run {
	r.t.Helper()
	run, err := history.Fold(r.records)
	if err != nil {
		r.t.Fatal(err)
	}
	return run
}

func newTape(t *testing.T, steps int) *tape {
	r := &tape{t: t}
	started := &history.Started{Run: "R", Policy: history.Policy{Mode: plan.Dynamic}, Envelope: &envelope.Envelope{}}
	for i := range steps {
		started.Steps = append(started.Steps, history.Outline{Address: plan.Address(fmt.Sprintf("1.%d", i+1)),
			Task: "1"})
	}
	r.add("", 0, started)
	return r
}

// step writes a step of which all attempts but the last fail with a class; the
// last one, too, if failed.
func (r *tape) step(a plan.Address, failed bool, class history.Class, codes []string, methods ...string) {
	r.t.Helper()
	r.add(a, 0, &history.StepStarted{})
	for i, m := range methods {
		r.add(a, i+1, &history.AttemptStarted{Method: m, Text: "text of " + m}, &history.AttemptEnded{})
		if i+1 < len(methods) || failed {
			f := &history.AttemptFailed{Class: class}
			for _, c := range codes {
				f.Findings = append(f.Findings, gate.Finding{Code: c})
			}
			r.add(a, i+1, f)
		}
	}
	if failed {
		r.add(a, 0, &history.StepFailed{Class: class})
	} else {
		r.add(a, len(methods), &history.StepCompleted{Method: methods[len(methods)-1]})
	}
}

func TestObserve(t *testing.T) {
	r := newTape(t, 6)
	r.step("1.1", false, history.Crashed, nil, "primary", "primary", "backup_1")
	r.step("1.2", true, history.Breach, nil, "primary", "backup_1")
	r.step("1.3", false, history.GateFailed, []string{code.ExpectedOutput}, "primary", "primary")
	r.step("1.4", false, history.Interrupted, nil, "primary", "primary")
	r.add("1.5", 0, &history.StepSkipped{Why: "a person", By: "a person"})
	r.step("1.6", true, history.GateFailed, []string{code.Invariant}, "primary")
	want := []modes.Step{
		{Address: "1.1", Task: "1", Backup: "backup_1 text of backup_1", Backups: 1, Retries: 1,
			Methods: []string{"1.1 primary failed: executor failed", "1.1 primary failed: executor failed", "1.1 backup_1 succeeded"}},
		{Address: "1.2", Task: "1", Failed: true, Backups: 1, Exhausted: true, Violation: true,
			Methods: []string{"1.2 primary failed: breach", "1.2 backup_1 failed: breach"}},
		{Address: "1.3", Task: "1", Retries: 1, Mismatch: true,
			Methods: []string{"1.3 primary failed: gate-failed", "1.3 primary succeeded"}},
		{Address: "1.4", Task: "1", Methods: []string{"1.4 primary succeeded"}},
		{Address: "1.6", Task: "1", Failed: true, Violation: true,
			Methods: []string{"1.6 primary failed: gate-failed"}},
	}
	if diff := cmp.Diff(want, modes.Observe(r.fold(), nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The step that is about to fail counts as failed already.
func TestObserveTheFailingStep(t *testing.T) {
	r := newTape(t, 2)
	r.step("1.1", true, history.Crashed, nil, "primary")
	r.add("1.2", 0, &history.StepStarted{})
	r.add("1.2", 1, &history.AttemptStarted{Method: "primary"}, &history.AttemptEnded{},
		&history.AttemptFailed{Class: history.Crashed})
	run := r.fold()
	got := modes.Observe(run, run.Step("1.2"))
	if len(got) != 2 || !got[1].Failed || got[1].Address != "1.2" {
		t.Errorf("observed %+v; want 1.2 as failed", got)
	}
	if got := modes.Observe(run, nil); len(got) != 1 {
		t.Errorf("observed %+v; want 1.1 alone", got)
	}
}

// A switch back to dynamic mode begins a new window.
func TestObserveBeginsWithTheMode(t *testing.T) {
	r := newTape(t, 2)
	r.step("1.1", true, history.Crashed, nil, "primary")
	r.add("", 0, &history.ModeSwitched{From: plan.Collaborative, To: plan.Dynamic})
	r.step("1.2", true, history.Crashed, nil, "primary")
	got := modes.Observe(r.fold(), nil)
	if len(got) != 1 || got[0].Address != "1.2" {
		t.Errorf("observed %+v; want 1.2 alone", got)
	}
}

// Whatever happened: the same journal measures the same, and steps are seen in
// the order in which they ended, not in that of the plan.
func TestMeasureIsAFunctionOfTheHistory(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		const n = 12
		r := newTape(t, n)
		var ended []plan.Address
		for _, i := range random.Perm(n) {
			a := plan.Address(fmt.Sprintf("1.%d", i+1))
			methods := []string{"primary", "primary", "backup_1", "backup_2"}[:1+random.IntN(4)]
			r.step(a, random.IntN(3) == 0, history.Breach, nil, methods...)
			ended = append(ended, a)
		}
		triggers := modes.Triggers{TaskFailures: 3}
		first, again := modes.Observe(r.fold(), nil), modes.Observe(r.fold(), nil)
		if diff := cmp.Diff(triggers.Measure(first), triggers.Measure(again)); diff != "" {
			t.Fatalf("the same journal measured twice:\n%s", diff)
		}
		for i, s := range first {
			if s.Address != ended[i] {
				t.Fatalf("row %d is %s; %s ended then", i, s.Address, ended[i])
			}
		}
	}
}
