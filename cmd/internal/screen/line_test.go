package screen

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
)

// A step that changed no file says so as the report does.
func TestChangesAreCountedAsInTheReport(t *testing.T) {
	s := &history.Step{Outline: history.Outline{Address: "1.1", Title: "Do it"}, Status: history.Completed,
		Attempts: []*history.Attempt{{Number: 1, Accounted: &history.Accounted{}}}}
	run := &history.Run{Steps: []*history.Step{s}}
	if got, want := stepLine(run, s, columnsOf(run)), " ✓ 1.1  Do it  0 files"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The line of a step says what the report says: how many gates passed of those
// that were asked, and how long somebody worked on it.
func TestStepLineSaysWhatTheReportSays(t *testing.T) {
	yes, no := gate.Holds(), gate.Breaks(gate.Finding{Message: "no"})
	idle := gate.Verdict{Result: gate.Passed, Idle: true}
	judged := func(v *gate.Verdict) gate.Judgement {
		return gate.Judgement{Gate: "types", Level: gate.BlocksStep, Phase: gate.During, Verdict: v}
	}
	at := time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		gates []gate.Judgement
		idle  []struct{ From, To time.Time }
		want  string
	}{
		"all passed":      {[]gate.Judgement{judged(&yes)}, nil, " ✗ 1.1  Do it                   2 gates     5.0 s"},
		"one had nothing": {[]gate.Judgement{judged(&yes), judged(&idle)}, nil, " ✗ 1.1  Do it                   2 gates     5.0 s"},
		"one refused":     {[]gate.Judgement{judged(&yes), judged(&no)}, nil, " ✗ 1.1  Do it                   2 of 3 gates    5.0 s"},
		"nobody decided":  {[]gate.Judgement{judged(nil)}, nil, " ✗ 1.1  Do it                   1 of 2 gates    5.0 s"},
		"resumed": {nil, []struct{ From, To time.Time }{{From: at.Add(time.Second), To: at.Add(4 * time.Second)}},
			" ✗ 1.1  Do it                   1 gate      2.0 s"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &history.Step{Outline: history.Outline{Address: "1.1", Title: "Do it"}, Status: history.Failed,
				Started: at, Over: at.Add(5 * time.Second),
				Gates: []gate.Judgement{judged(&yes)}, Attempts: []*history.Attempt{{Number: 1, Gates: c.gates}}}
			run := &history.Run{Steps: []*history.Step{s}, Idle: c.idle}
			if diff := cmp.Diff(c.want, stepLine(run, s, columnsOf(run))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A step took as long as the report says, which knows times to the millisecond.
func TestStepLineSaysWhatTheReportSaysOfTime(t *testing.T) {
	at := time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)
	for took, want := range map[time.Duration]string{
		850*time.Millisecond + 600*time.Microsecond: " ✗ 1.1  Do it                               0.8 s",
		125 * time.Second: " ✗ 1.1  Do it                             2 min 05 s",
	} {
		s := &history.Step{Outline: history.Outline{Address: "1.1", Title: "Do it"}, Status: history.Failed,
			Started: at, Over: at.Add(took)}
		run := &history.Run{Steps: []*history.Step{s}}
		if diff := cmp.Diff(want, stepLine(run, s, columnsOf(run))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", took, diff)
		}
	}
}

// How a completed step came about is said in the words of the report: by what,
// and after which failure; a step that a person settled is completed.
func TestStepLineTellsItsWayAsTheReport(t *testing.T) {
	try := func(n int, method string, reinstates int, why string) *history.Attempt {
		a := &history.Attempt{Number: n, Method: history.AttemptStarted{Method: method, Reinstates: reinstates}}
		if why != "" {
			a.Failure = &history.AttemptFailed{Class: history.GateFailed, Reasons: []string{why}}
		}
		return a
	}
	settled := &history.StepSkipped{Why: "settled in answer to q1: fine", By: "ann", Done: true}
	for name, c := range map[string]struct {
		attempts []*history.Attempt
		skipped  *history.StepSkipped
		want     string
	}{
		"accepted": {[]*history.Attempt{try(1, "primary", 0, "too much"), try(2, "primary", 1, "")}, nil,
			`what attempt 1 did was accepted after "too much"`},
		"the backup twice": {[]*history.Attempt{try(1, "primary", 0, "it hangs"), try(2, "backup_1", 0, "no counts"),
			try(3, "backup_1", 0, "")}, nil, `backup 1 after "it hangs", retry after "no counts"`},
		"settled": {nil, settled, "settled by ann"},
	} {
		s := &history.Step{Outline: history.Outline{Address: "1.1"}, Status: history.Completed, Attempts: c.attempts,
			Completed: &history.StepCompleted{}}
		if c.skipped != nil {
			s.Status, s.Completed, s.Skipped = history.Skipped, nil, c.skipped
			s.Questions = []history.Exchange{{Question: ask.Question{Kind: ask.Checkpoint}, Answer: &ask.Answer{By: "ann"}}}
		}
		run, err := history.Fold(nil)
		if err != nil {
			t.Fatal(err)
		}
		run.Steps = []*history.Step{s}
		if got := note(run, s); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if got := document.Count(run); got.Completed != 1 || got.Skipped != 0 {
			t.Errorf("%s: %s", name, got)
		}
	}
}
