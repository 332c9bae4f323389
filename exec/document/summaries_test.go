package document_test

import (
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// TestSummaryOfPlanInTime: the summary of one plan of a phase tells its time and
// trees in the order of time, and not of the plan; what was set back counts in
// both.
func TestSummaryOfPlanInTime(t *testing.T) {
	s := begin(t, limiter(), func(f *history.Started) {
		f.Format = plan.PhasePlan
		f.Files = []plan.Source{{Path: "04-01-PLAN.md", Digest: digest("1")}, {Path: "04-02-PLAN.md", Digest: digest("2")}}
	})
	s.start("1.1", "primary")
	from := s.now
	s.work(700, "1.1", 1, "ok\n").fail("1.1", 1, history.GateFailed, "no")
	s.add(5, "1.1", 0, &history.StepFailed{Class: history.GateFailed, Reasons: []string{"no"}})
	s.start("1.2", "primary").work(900, "1.2", 1, "").accept("1.2", "primary")
	s.start("2.1", "primary").work(900, "2.1", 1, "").accept("2.1", "primary")
	s.add(9000, "1.1", 0, &history.RolledBack{To: "1.1", Snapshot: snapshot("after 2.1"), By: "terminal", Alone: true})
	s.add(40, "1.1", 0, &history.StepStarted{Checkpoint: snapshot("after 2.1"), Decision: "proceed", Strategy: plan.HaltOnCritical})
	s.attempt("1.1", 2, "primary").work(800, "1.1", 2, "ok").accept("1.1", "primary")
	to := s.now
	s.start("3.1", "primary").work(300, "3.1", 1, "").accept("3.1", "primary")
	text := string(drawn(t, s, "04-01-SUMMARY.md"))
	clock := func(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }
	for _, want := range []string{
		"- **Time:** " + clock(from) + " to " + clock(to) + " (3.4 s)\n",
		"from `" + digest("before 1.1").Short() + "` to `" + digest("after 1.1").Short() + "`\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}
