package modes_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/modes"
	"github.com/planlock/planlock/plan"
)

// What is measured of a run does not depend on how much of it is looked at.
func TestMeasureRunIsMeasureOfAll(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 300 {
		const n = 40
		r := newTape(t, n)
		fails := 1 + random.IntN(6)
		var under plan.Address
		for _, i := range random.Perm(n) {
			a := plan.Address(fmt.Sprintf("1.%d", i+1))
			if random.IntN(15) == 0 {
				r.add("", 0, &history.ModeSwitched{From: plan.Collaborative, To: plan.Dynamic})
			}
			if random.IntN(n) == 0 {
				r.add(a, 0, &history.StepStarted{})
				r.add(a, 1, &history.AttemptStarted{Method: "primary"}, &history.AttemptEnded{},
					&history.AttemptFailed{Class: history.Crashed})
				under = a
				break
			}
			methods := []string{"primary", "primary", "backup_1", "backup_1"}[:1+random.IntN(4)]
			r.step(a, random.IntN(fails) == 0, history.Breach, nil, methods...)
		}
		run := r.fold()
		var failing *history.Step
		if under != "" {
			failing = run.Step(under)
		}
		triggers := modes.Triggers{TaskFailures: 3, Window: 1 + random.IntN(5)}
		if diff := cmp.Diff(triggers.Measure(modes.Observe(run, failing)), triggers.MeasureRun(run, failing)); diff != "" {
			t.Fatalf("round %d (-all +recent):\n%s", round, diff)
		}
	}
}

// Where it is quiet, nothing fires.
func TestQuietIsNothingFired(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	seen := map[[2]bool]int{}
	for round := range 2000 {
		const n = 16
		r := newTape(t, n)
		trouble := 1 + random.IntN(20)
		for i := range n {
			a := plan.Address(fmt.Sprintf("1.%d", i+1))
			if random.IntN(15) == 0 {
				r.add("", 0, &history.ModeSwitched{From: plan.Collaborative, To: plan.Dynamic})
			}
			methods, fails := []string{"primary"}, false
			if random.IntN(trouble) == 0 {
				methods = [][]string{{"primary"}, {"primary", "primary"}, {"primary", "backup_1"},
					{"backup_1"}}[random.IntN(4)]
				fails = random.IntN(2) == 0
			}
			r.step(a, fails, history.Breach, nil, methods...)
		}
		run := r.fold()
		triggers := modes.Triggers{TaskFailures: random.IntN(2), Window: 1 + random.IntN(5),
			Consecutive: 1 + random.IntN(2)}
		fired := modes.Fired(triggers.Measure(modes.Observe(run, nil)))
		quiet := triggers.Quiet(run)
		if quiet && len(fired) > 0 {
			t.Fatalf("round %d: quiet, but %v", round, fired)
		}
		seen[[2]bool{quiet, len(fired) > 0}]++
	}
	if seen[[2]bool{true, false}] < 100 || seen[[2]bool{false, true}] < 100 {
		t.Errorf("quiet and fired: %v", seen)
	}
}
