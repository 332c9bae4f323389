package analysis

import (
	"testing"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// TestIntentsAreTestsWrittenFirst counts a step with an intent, and whether its
// test was seen to fail.
func TestIntentsAreTestsWrittenFirst(t *testing.T) {
	for name, tt := range map[string]struct {
		intent *plan.TestIntent
		said   gate.Result
		want   Rate
	}{
		"seen to fail":  {&plan.TestIntent{Test: "go test"}, gate.Passed, Rate{N: 1, Of: 1}},
		"not seen":      {&plan.TestIntent{Test: "go test"}, gate.Fail, Rate{Of: 1}},
		"none intended": {nil, gate.Passed, Rate{}},
	} {
		p := &plan.Plan{Tasks: []plan.Task{{ID: "1", Steps: []plan.Step{{ID: "1", Address: "1.1", TestIntent: tt.intent}}}}}
		s := &history.Step{Outline: history.Outline{Address: "1.1", Task: "1"}, Attempts: []*history.Attempt{{
			Gates: []gate.Judgement{{Gate: "test-intent", Verdict: &gate.Verdict{Result: tt.said}}}}}}
		var k KPIs
		k.step(&guard.Contract{Plan: p}, &history.Run{}, s)
		if k.TestFirst != tt.want {
			t.Errorf("%s: %+v, want %+v", name, k.TestFirst, tt.want)
		}
	}
}

// TestCodeWithoutATestCounts counts a step that changed code at complexity 3, in
// a run that writes tests first, and names no test.
func TestCodeWithoutATestCounts(t *testing.T) {
	p := &plan.Plan{Tasks: []plan.Task{{ID: "1", Complexity: 3, Steps: []plan.Step{{ID: "1", Address: "1.1"}}}}}
	for file, of := range map[string]int{"a.ts": 1, "a.md": 0} {
		s := &history.Step{Outline: history.Outline{Address: "1.1", Task: "1"}, Attempts: []*history.Attempt{{
			Accounted: &history.Accounted{Changes: []ledger.Change{{Path: file}}}}}}
		r := &history.Run{}
		r.Flow.Strategy = &history.StrategySet{Strategy: history.Orchestrated, Complexity: 3}
		var off, on KPIs
		off.step(&guard.Contract{Plan: p}, r, s)
		r.Started.TestFirst = true
		on.step(&guard.Contract{Plan: p}, r, s)
		if on.TestFirst != (Rate{Of: of}) || off.TestFirst != (Rate{}) {
			t.Errorf("%s: %+v, and %+v where it is off", file, on.TestFirst, off.TestFirst)
		}
	}
}

// TestATestThatWasNotWrittenIsNone: a command that fails before anybody wrote a
// test is no test that came first, and a step of which the test could not be run
// was to write one.
func TestATestThatWasNotWrittenIsNone(t *testing.T) {
	p := &plan.Plan{Tasks: []plan.Task{{ID: "1", Complexity: 3, Steps: []plan.Step{{ID: "1", Address: "1.1", TDD: true,
		Postconditions: []plan.Check{{Kind: "command", Run: "sh t.sh"}}}}}}}
	for name, tt := range map[string]struct {
		cycles []history.Cycle
		want   Rate
	}{
		"it was written, and failed": {[]history.Cycle{{Phase: history.Red, Ran: true, Exit: 1, Holds: true, Did: "kept"}}, Rate{N: 1, Of: 1}},
		"nobody wrote one":           {[]history.Cycle{{Phase: history.Red, Ran: true, Exit: 1, Did: "refused"}}, Rate{Of: 1}},
		"it could not be run":        {nil, Rate{Of: 1}},
	} {
		s := &history.Step{Outline: history.Outline{Address: "1.1", Task: "1"}, Attempts: []*history.Attempt{{Cycles: tt.cycles}}}
		r := &history.Run{}
		r.Started.TestFirst = true
		r.Flow.Strategy = &history.StrategySet{Strategy: history.Orchestrated, Complexity: 3}
		var got KPIs
		if got.step(&guard.Contract{Plan: p}, r, s); got.TestFirst != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got.TestFirst, tt.want)
		}
	}
}
