package history_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// TestLanes follows both lanes of a group.
func TestLanes(t *testing.T) {
	const open, back, joined, gone = history.LaneOpen, history.LaneBack, history.LaneJoined, history.LaneGone
	said, onto := &history.AttemptEnded{}, &history.Joined{}
	no, met := &history.AttemptFailed{Class: history.GateFailed}, &history.AttemptFailed{Class: history.Met}
	j := func(facts ...history.Fact) []history.Fact { return facts }
	for name, c := range map[string]struct {
		first, second []history.Fact // that follow, first of the first step
		want          [2]history.LaneState
	}{
		"at work":    {want: [2]history.LaneState{open, open}},
		"one joined": {first: j(said, onto, &history.StepCompleted{}), want: [2]history.LaneState{joined, back}},
		"one failed": {first: j(said, onto, no), want: [2]history.LaneState{history.LaneFailed, back}},
		"one set aside": {first: j(said, onto, &history.StepCompleted{}),
			second: j(said, onto, &history.JoinFailed{With: []plan.Address{"1.1"}}, no),
			want:   [2]history.LaneState{joined, history.LaneAside}},
		"one did not fit where it was joined": {first: j(said, onto, met), want: [2]history.LaneState{gone, back}},
		"both joined": {first: j(said, onto, &history.StepCompleted{}), second: j(said, onto, &history.StepCompleted{}),
			want: [2]history.LaneState{joined, joined}},
		"its executor failed": {first: j(&history.AttemptEnded{Error: "soft"}, onto, no),
			want: [2]history.LaneState{history.LaneFailed, back}},
		"they met": {first: j(said, met), second: j(said, met), want: [2]history.LaneState{gone, gone}},
		"one is lost": {second: j(&history.AttemptFailed{Class: history.Lost}),
			want: [2]history.LaneState{back, gone}},
	} {
		t.Run(name, func(t *testing.T) {
			run := grouped().add("1.1", 1, c.first...).add("1.2", 1, c.second...)
			if run.last != nil {
				t.Fatal(run.last)
			}
			for i, a := range []plan.Address{"1.1", "1.2"} {
				attempt := run.run.Step(a).Attempts[0]
				if got := attempt.InLane(); got != c.want[i] || attempt.Lane.Number != i+1 {
					t.Errorf("%s is %s in lane %d, want %s in lane %d", a, got, attempt.Lane.Number, c.want[i], i+1)
				}
			}
		})
	}
}

// grouped is a run with two steps at work at once.
func grouped() *journal {
	j := begun().add("1.1", 0, &history.StepStarted{}).add("1.2", 0, &history.StepStarted{}).
		add("", 0, &history.GroupBegun{Steps: []plan.Address{"1.1", "1.2"}})
	return j.add("1.1", 1, &history.AttemptStarted{}).add("1.2", 1, &history.AttemptStarted{})
}

// TestWhatFollowsALaneIsCarriedOutAlone: an attempt after one that was set aside
// is in no lane, and cannot be joined.
func TestWhatFollowsALaneIsCarriedOutAlone(t *testing.T) {
	j := grouped().add("1.1", 1, &history.AttemptEnded{}, &history.Joined{}, &history.JoinFailed{}, &history.AttemptFailed{}).
		add("1.1", 1, &history.Asked{Question: ask.Question{ID: "q1"}})
	s := j.run.Step("1.1")
	if j.last != nil || s.SetAside() != s.Attempts[0] || !s.Waits() {
		t.Fatalf("%v, set aside: %v, waits: %v", j.last, s.SetAside(), s.Waits())
	}
	j.add("1.1", 2, &history.AttemptStarted{})
	if diff := cmp.Diff(history.LaneState(""), s.Last().InLane()); diff != "" || s.SetAside() != s.Attempts[0] {
		t.Errorf("%s, set aside: %v", diff, s.SetAside())
	}
	if j.add("1.1", 2, &history.Joined{}); j.last == nil {
		t.Error("an attempt outside of a lane was joined")
	}
	if j := grouped().add("1.1", 1, &history.JoinFailed{}); j.last == nil {
		t.Error("an attempt was set aside that was not joined")
	}
}

// TestJoinedWith: what a step is joined with are those of its group whose work
// is part of the tree, and no others.
func TestJoinedWith(t *testing.T) {
	j := grouped().add("1.1", 1, &history.AttemptEnded{}, &history.Joined{})
	s := j.run.Step("1.2")
	if got := j.run.JoinedWith(s); len(got) != 0 {
		t.Errorf("joined with %v, of which nothing was accepted", got)
	}
	j.add("1.1", 1, &history.StepCompleted{})
	if got := j.run.JoinedWith(s); len(got) != 1 || got[0].Address != "1.1" {
		t.Errorf("joined with %v", got)
	}
	if got := j.run.JoinedWith(j.run.Step("1.1")); len(got) != 0 {
		t.Errorf("a step was joined with %v, of which one did not come yet", got)
	}
}
