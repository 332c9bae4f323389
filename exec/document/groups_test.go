package document_test

import (
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/history"
)

// Lanes of a group that was set back stay what they were; what waited to be
// joined then never will be.
func TestLanesThatWereSetBack(t *testing.T) {
	s := inLanes(t).add(1, "1.1", 0, &history.RolledBack{To: "1.1", Snapshot: snapshot("base"), By: "terminal"})
	want := "at once: 1.1, 2.1 (join-failed with 1.1), 3.1 (dropped)"
	if text := string(drawn(t, s, "report.txt")); !strings.Contains(text, want) {
		t.Errorf("the report does not say %q:\n%s", want, text)
	}
}

// What was done at once is told of a plan without speclets, too.
func TestModelOfPlansWithoutSpeclets(t *testing.T) {
	s := inLanes(t)
	s.plan.Speclets = nil
	text := string(drawn(t, s, "progress_limiter.json"))
	if !strings.Contains(text, `"parallel_execution_model": "concurrent"`) {
		t.Errorf("the progress log does not say how the steps ran:\n%s", text)
	}
}
