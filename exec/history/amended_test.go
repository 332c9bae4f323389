package history_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// TestAmendmentsThatDoNotFollow are amendments that a journal may hold only if
// somebody else wrote it.
func TestAmendmentsThatDoNotFollow(t *testing.T) {
	step := func(task, id string) history.Outline {
		return history.Outline{Address: plan.Address(task + "." + id), Task: task, Title: "do " + id}
	}
	begun := func() *history.Run {
		fact, err := history.Located{Fact: &history.Started{Run: "R", Plan: "sha256:p", Steps: []history.Outline{step("1", "1"), step("2", "1")}}}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		run, err := history.Fold([]record.Record{{Seq: 1, Fact: fact}})
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	good := func() history.Amended {
		return history.Amended{Plan: "sha256:q", Lock: "L", Envelope: &envelope.Envelope{},
			Added: []plan.Address{"2.2"},
			Steps: []history.Outline{step("1", "1"), step("2", "1"), step("2", "2")}}
	}
	for name, tt := range map[string]struct {
		change func(*history.Amended)
		after  func(*history.Amended)
		why    string
	}{
		"as it should be": {nil, nil, ""},
		"another number":  {nil, func(a *history.Amended) { a.Number = 2 }, "amendment 2 follows amendment 0"},
		"another record":  {nil, func(a *history.Amended) { a.Prev = "sha256:x" }, "and the record ends with"},
		"edited":          {nil, func(a *history.Amended) { a.Reason = "x" }, "is not what its digest"},
		"no envelope":     {func(a *history.Amended) { a.Envelope = nil }, nil, "has no envelope"},
		"a step less":     {func(a *history.Amended) { a.Steps = a.Steps[1:] }, nil, "step 2.1 is not where it was"},
		"another title":   {func(a *history.Amended) { a.Steps[0].Title = "x" }, nil, "step 1.1 is not where it was"},
		"another order": {func(a *history.Amended) { a.Steps[0], a.Steps[1] = a.Steps[1], a.Steps[0] },
			nil, "step 2.1 is not where it was"},
		"a step that is not said":  {func(a *history.Amended) { a.Added = nil }, nil, "step 2.2 is not where it was"},
		"a step that is not there": {func(a *history.Amended) { a.Added = append(a.Added, "9.9") }, nil, "3 steps, 2 of them new, where there were 2"},
		"a step twice":             {func(a *history.Amended) { a.Steps = append(a.Steps, a.Steps[2]) }, nil, "step 2.2 is not where it was"},
		"a step that was there":    {func(a *history.Amended) { a.Added = []plan.Address{"2.1", "2.2"} }, nil, "step 2.1 is not new"},
		"nothing":                  {func(a *history.Amended) { a.Steps, a.Added = a.Steps[:2], nil }, nil, "where there were 2"},
	} {
		t.Run(name, func(t *testing.T) {
			run, a := begun(), good()
			if tt.change != nil {
				tt.change(&a)
			}
			a, err := a.Seal(1, run.RecordDigest())
			if err != nil {
				t.Fatal(err)
			}
			if tt.after != nil {
				tt.after(&a)
			}
			fact, err := history.Located{Fact: &a}.Encode()
			if err != nil {
				t.Fatal(err)
			}
			err = run.Apply(record.Record{Seq: run.Head.Seq + 1, Fact: fact})
			var order *history.OrderError
			if tt.why == "" {
				if err != nil || len(run.Steps) != 3 || run.Step("2.2") == nil || run.RecordDigest() != a.Digest ||
					run.Started.Plan != "sha256:q" {
					t.Errorf("%v\n%+v", err, run)
				}
				return
			}
			if !errors.As(err, &order) || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("%v, want %q", err, tt.why)
			}
			if len(run.Steps) != 2 || run.Started.Plan != "sha256:p" {
				t.Errorf("it was folded in all the same: %+v", run)
			}
		})
	}
}

// TestAmendedRunsRest: an amendment is made while nobody has the run in hand,
// and the time around it is none of its work.
func TestAmendedRunsRest(t *testing.T) {
	began := time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)
	steps := []history.Outline{{Address: "1.1", Task: "1"}, {Address: "2.1", Task: "2"}}
	run := &history.Run{}
	put := func(minute int, step plan.Address, f history.Fact) error {
		fact, err := history.Located{Where: history.Where{Step: step}, Fact: f}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return run.Apply(record.Record{Seq: run.Head.Seq + 1, Time: began.Add(time.Duration(minute) * time.Minute),
			Fact: fact})
	}
	amended := func(task string) *history.Amended {
		a, err := history.Amended{Plan: "sha256:q", Lock: "L", Envelope: &envelope.Envelope{}, Added: []plan.Address{"9.9"},
			Steps: append(slices.Clone(steps), history.Outline{Address: "9.9", Task: task})}.Seal(1, run.RecordDigest())
		if err != nil {
			t.Fatal(err)
		}
		return &a
	}
	for _, err := range []error{
		put(0, "", &history.Started{Run: "R", Plan: "sha256:p", Steps: steps}),
		put(0, "1.1", &history.StepSkipped{By: "tester"}),
		put(0, "", &history.TaskOver{Task: "1"}),
		put(1, "", &history.Paused{Why: "stopped"}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := put(30, "", amended("1")); err == nil || !strings.Contains(err.Error(), "task 1, which is over") {
		t.Errorf("to a task that is over: %v", err)
	}
	for _, err := range []error{put(30, "", amended("2")), put(59, "", &history.Resumed{Reason: "stopped"}),
		put(60, "", &history.Paused{Why: "stopped"})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := run.Worked(began, began.Add(time.Hour)); got != 2*time.Minute {
		t.Errorf("it worked %v, want two minutes: before it was let go, and since it was taken up", got)
	}
}
