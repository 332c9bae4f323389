package attest

import (
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
)

// A testResult is the predicate of [TestResult].
type testResult struct {
	Result        string     `json:"result"` // PASSED, WARNED, FAILED
	Configuration []Resource `json:"configuration"`
	Passed        []string   `json:"passedTests,omitempty"`
	Warned        []string   `json:"warnedTests,omitempty"`
	Failed        []string   `json:"failedTests,omitempty"`
}

// testResultOf is which gates passed: those before a step and those of its last
// attempt, as in "1.2 go_test", and those at the end, as in "end go_test". A gate
// that looked several times at one step failed if it failed once.
func testResultOf(r *history.Run) *testResult {
	t := &testResult{Result: "FAILED", Configuration: planFiles(&r.Started)}
	switch r.Status {
	case history.Achieved:
		t.Result = "PASSED"
	case history.Partial:
		t.Result = "WARNED"
	}
	worst := map[string]int{}
	hear := func(at string, list []gate.Judgement) {
		for _, j := range list {
			if !j.Judged() {
				continue
			}
			name := at + " " + j.Gate
			worst[name] = max(worst[name], badness(j))
		}
	}
	for _, s := range r.Steps {
		hear(string(s.Address), s.Gates)
		if last := s.Last(); last != nil {
			hear(string(s.Address), last.Gates)
		}
	}
	hear("end", r.Final)
	lists := []*[]string{&t.Passed, &t.Warned, &t.Failed}
	for _, name := range sorted(worst) {
		list := lists[worst[name]]
		*list = append(*list, name)
	}
	return t
}

// badness is 0 of a gate that passed, 1 of one that stops nothing, and 2 of one
// that does.
func badness(j gate.Judgement) int {
	switch {
	case j.Passes():
		return 0
	case j.Blocks():
		return 2
	}
	return 1
}
