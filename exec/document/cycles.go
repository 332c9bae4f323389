package document

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/history"
)

// A cycle is one phase of an attempt that wrote its test first, and what the
// controller saw the test do at its end.
type cycle struct {
	Phase  history.CyclePhase `json:"phase"`
	Test   string             `json:"test"`
	Ran    bool               `json:"ran"`
	Exit   int                `json:"exit"`
	Passed bool               `json:"passed"`
	Holds  bool               `json:"holds"`
	Did    string             `json:"did"`
	Why    string             `json:"why,omitempty"`
}

func cyclesOf(all []history.Cycle) (out []cycle) {
	for _, c := range all {
		out = append(out, cycle{c.Phase, c.Test, c.Ran, c.Exit, c.Passed, c.Holds, c.Did, c.Why})
	}
	return out
}

// testFirst says in which phases the test of a completed step was seen, as in
// "test first: red (status 1), green, refactor"; "" where it was not written
// first. A refactoring that was undone is told by itself.
func (s *step) testFirst() string {
	was := s.of.of.Step(s.Address)
	if was == nil || was.Completed == nil {
		return ""
	}
	var cycles []history.Cycle // of the last attempt, and of those that it went on with
	for _, a := range slices.Backward(was.Attempts) {
		if cycles = slices.Concat(a.Cycles, cycles); len(cycles) == 0 || cycles[0].Phase == history.Red {
			break
		}
	}
	var seen []string
	for _, c := range cycles {
		switch {
		case c.Holds && c.Passed:
			seen = append(seen, string(c.Phase))
		case c.Holds:
			seen = append(seen, fmt.Sprintf("%s (status %d)", c.Phase, c.Exit))
		}
	}
	if seen == nil {
		return ""
	}
	return "test first: " + join(seen)
}
