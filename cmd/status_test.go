package cmd

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// inLanes is a run of three steps at once, the first of which was set aside.
func inLanes(t *testing.T, then ...history.Located) *history.Run {
	t.Helper()
	steps := []plan.Address{"1.1", "2.1", "3.1"}
	facts := history.Where{}.Locate(&history.Started{Run: "R",
		Steps: []history.Outline{{Address: "1.1"}, {Address: "2.1"}, {Address: "3.1"}}})
	for _, a := range steps {
		facts = append(facts, history.Where{Step: a}.Locate(&history.StepStarted{})...)
	}
	facts = append(facts, history.Where{}.Locate(&history.GroupBegun{Steps: steps})...)
	for _, a := range steps {
		facts = append(facts, history.Where{Step: a, Attempt: 1}.Locate(&history.AttemptStarted{Method: "primary"})...)
	}
	run := &history.Run{}
	for i, f := range append(facts, then...) {
		fact, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Apply(record.Record{Seq: uint64(i + 1), Fact: fact}); err != nil {
			t.Fatal(err)
		}
	}
	return run
}

// The text and the document say the same of the lanes.
func TestStatusOfLanes(t *testing.T) {
	first, second := history.Where{Step: "1.1", Attempt: 1}, history.Where{Step: "2.1", Attempt: 1}
	failed := first.Locate(&history.AttemptEnded{}, &history.Joined{}, &history.AttemptFailed{Class: history.Breach})
	parked := append(failed[:3:3], first.Locate(&history.Asked{Question: ask.Question{ID: "q1"}})...)
	joined := first.Locate(&history.AttemptEnded{}, &history.Joined{}, &history.StepCompleted{})
	aside := append(joined, second.Locate(&history.AttemptEnded{}, &history.Joined{},
		&history.JoinFailed{With: []plan.Address{"1.1"}}, &history.AttemptFailed{Class: history.GateFailed})...)
	alone := history.Where{Step: "2.1", Attempt: 2}
	again := append(aside[:7:7], alone.Locate(&history.AttemptStarted{})...)
	asked := append(again[:8:8], alone.Locate(&history.AttemptFailed{}, &history.Asked{Question: ask.Question{ID: "q1"}})...)
	for name, c := range map[string]struct {
		then []history.Located
		want string
	}{
		"waits": {first.Locate(&history.AttemptEnded{}, &history.AttemptFailed{Class: history.NotServed, Reasons: []string{"quota"},
			Until: time.Date(2026, 11, 27, 14, 0, 0, 0, time.UTC)}, &history.RestoreBegun{}, &history.Restored{}),
			"waits    1.1 until 2026-11-27 14:00:00 UTC: quota\nto join  2.1 (lane 2), 3.1 (lane 3)\n"},
		"at work":       {nil, "at work  1.1 (lane 1), 2.1 (lane 2), 3.1 (lane 3)\n"},
		"set aside":     {aside, "to join  3.1 (lane 3)\naside    2.1 (lane 2, join-failed with 1.1)\n"},
		"parked":        {parked, "to join  2.1 (lane 2), 3.1 (lane 3)\nparked   1.1 (lane 1)\n"},
		"parked, alone": {asked, "to join  3.1 (lane 3)\naside    2.1 (lane 2, join-failed with 1.1)\nparked   2.1\n"},
		"alone":         {again, "at work  2.1\nto join  3.1 (lane 3)\naside    2.1 (lane 2, join-failed with 1.1)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newStatus(inLanes(t, c.then...), false)
			var text strings.Builder
			d.print(&text)
			if diff := cmp.Diff(c.want, text.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(d.Questions) != strings.Count(c.want, "parked") {
				t.Errorf("questions: %v", d.Questions)
			}
		})
	}
}
