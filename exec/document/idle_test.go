package document_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/history"
)

// The time between the death of a controller and the resumption is no time that
// a step took, nor its attempt, nor its task.
func TestStepsTookNoTimeWhileNobodyWorked(t *testing.T) {
	const hour = 3_600_000
	p := limiter()
	s := begin(t, p).start("1.1", "primary")
	s.add(hour, "", 0, &history.Resumed{Reason: "crash", InFlight: "1.1"})
	s.fail("1.1", 1, history.Lost, "the controller died").attempt("1.1", 2, "primary").work(700, "1.1", 2, "", created("server/limit_test.go"))
	s.accept("1.1", "primary").add(10, "", 0, &history.Paused{Why: "interrupted"}).add(2*hour, "", 0,
		&history.Resumed{Reason: "interrupted"})
	s.start("1.2", "primary").work(1900, "1.2", 1, "", created("server/limit.go"), modified("go.mod")).accept("1.2", "primary")
	run := s.fold()
	text, err := as(document.JSON, p, run)
	if err != nil {
		t.Fatal(err)
	}
	type took struct {
		Took int64 `json:"duration_ms"`
	}
	var got struct {
		took
		Tasks []struct {
			took
			Steps []struct {
				took
				Attempts []took `json:"attempts"`
			} `json:"steps"`
		} `json:"tasks"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	first, second := got.Tasks[0].Steps[0], got.Tasks[0].Steps[1]
	// Of the first step: 20 ms until its attempt, the failure and the restore
	// after the resumption, and the second attempt.
	for name, pair := range map[string][2]int64{
		"first step":    {20 + 40 + 5 + 730, first.Took},
		"lost attempt":  {10, first.Attempts[0].Took},
		"next attempt":  {730, first.Attempts[1].Took},
		"second step":   {20 + 1930, second.Took},
		"task":          {795 + 1950, got.Tasks[0].Took}, // what lies between its steps is no time of it
		"run, in whole": {40 + 795 + 10 + 40 + 1950 + 3*hour, got.Took},
	} {
		if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	page, err := as(document.Text, p, run)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(page)) {
		if strings.Contains(line, "gate") && strings.Contains(line, " h ") {
			t.Errorf("%q", line)
		}
	}
}

// Whoever takes a run up writes some records before it goes on: the time until
// then is no time that a step took, whether the run was let go of or its
// controller died.
func TestNobodyWorksBeforeARunIsTakenUp(t *testing.T) {
	const hour = 3_600_000
	for name, before := range map[string][]history.Fact{
		"let go of":           {&history.Paused{Why: "it waits"}},
		"its controller died": nil,
	} {
		p := limiter()
		s := begin(t, p).start("1.1", "primary").fail("1.1", 1, history.GateFailed, "no")
		for _, f := range before {
			s.add(10, "", 0, f)
		}
		s.add(hour, "", 0, &history.MovesAccepted{By: "ann", Moved: []string{"executor agent"}})
		open := s.fold()
		s.add(10, "", 0, &history.Resumed{Reason: "crash"})
		s.attempt("1.1", 2, "primary").work(700, "1.1", 2, "", created("server/limit_test.go")).accept("1.1", "primary")
		for _, run := range []*history.Run{open, s.fold()} {
			m, err := document.New(p, run, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Tasks []struct {
					Steps []struct {
						Took int64 `json:"duration_ms"`
					} `json:"steps"`
				} `json:"tasks"`
			}
			var text strings.Builder
			if err := document.JSON(&text, m); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(text.String()), &got); err != nil {
				t.Fatal(err)
			}
			if took := got.Tasks[0].Steps[0].Took; took <= 0 || took > hour/2 {
				t.Errorf("%s: step 1.1 took %d ms", name, took)
			}
		}
	}
}

// Of a run that waited and was given up the time until then is none that its step took.
func TestNobodyWorksUntilARunIsGivenUp(t *testing.T) {
	const hour = 3_600_000
	for name, before := range map[string][]history.Fact{
		"let go of":           {&history.Paused{Why: "it waits"}},
		"its controller died": nil,
	} {
		s := begin(t, limiter()).start("1.1", "primary").fail("1.1", 1, history.GateFailed, "no")
		for _, f := range before {
			s.add(10, "", 0, f)
		}
		s.add(hour, "", 0, &history.Abandoned{By: "ann", Reason: "another way"})
		s.add(5, "1.1", 0, &history.StepFailed{Class: history.GateFailed, Reasons: []string{"no"}, Halts: true})
		run := s.end(history.NotAchieved, "the run was abandoned").fold()
		if took := run.Worked(run.Steps[0].Started, run.Steps[0].Over); took <= 0 || took.Minutes() > 1 {
			t.Errorf("%s: step 1.1 took %s", name, took)
		}
	}
}
