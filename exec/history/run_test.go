package history_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// journal folds facts one after another, as a journal would.
type journal struct {
	run  history.Run
	seq  uint64
	last error
}

func (j *journal) add(step plan.Address, attempt int, facts ...history.Fact) *journal {
	for _, f := range facts {
		if j.last != nil {
			return j
		}
		fact, err := history.Located{Where: history.Where{Step: step, Attempt: attempt}, Fact: f}.Encode()
		if err != nil {
			j.last = err
			return j
		}
		j.seq++
		j.last = j.run.Apply(record.Record{Seq: j.seq, Fact: fact,
			Time: time.Date(2026, 1, 1, 0, 0, int(j.seq), 0, time.UTC)})
	}
	return j
}

func begun() *journal {
	j := &journal{}
	return j.add("", 0, &history.Started{Run: "R", Goal: "g", Policy: history.Policy{Mode: plan.Dynamic},
		Envelope: &envelope.Envelope{},
		Base:     record.Snapshot{Tree: "base"},
		Steps: []history.Outline{
			{Address: "1.1", Task: "1", Critical: true},
			{Address: "1.2", Task: "1", Critical: true},
		}})
}

func TestFoldOfACompletedStep(t *testing.T) {
	j := begun().
		add("1.1", 0, &history.StepStarted{Checkpoint: record.Snapshot{Tree: "base"}}).
		add("1.1", 1, &history.AttemptStarted{Method: "primary"}).
		add("1.1", 1, &history.AttemptEnded{}, &history.StepCompleted{Snapshot: record.Snapshot{Tree: "next"}})
	if j.last != nil {
		t.Fatal(j.last)
	}
	if got := j.run.Tree.Tree; got != "next" {
		t.Errorf("the tree that we left is %q, want next", got)
	}
	if got := j.run.Count(history.Completed); got != 1 {
		t.Errorf("%d steps completed, want 1", got)
	}
	for _, s := range j.run.UnderWay() {
		t.Errorf("step %s is still under way", s.Address)
	}
}

func TestFoldKeepsWhatARollbackUndoes(t *testing.T) {
	j := begun().
		add("1.1", 0, &history.StepStarted{}).
		add("1.1", 1, &history.AttemptStarted{Method: "primary"}).
		add("1.1", 1, &history.AttemptEnded{}, &history.StepCompleted{Snapshot: record.Snapshot{Tree: "next"}}).
		add("1.1", 0, &history.RolledBack{To: "1.1", Snapshot: record.Snapshot{Tree: "base"}})
	if j.last != nil {
		t.Fatal(j.last)
	}
	s := j.run.Step("1.1")
	if s.Status != history.Pending || len(s.Attempts) != 0 || len(s.Undone) != 1 || j.run.Tree.Tree != "base" {
		t.Errorf("status %s, %d attempts, %d undone, tree %s; want pending, 0, 1, base", s.Status, len(s.Attempts),
			len(s.Undone), j.run.Tree.Tree)
	}
	// The next attempt goes on counting.
	j.add("1.1", 0, &history.StepStarted{}).add("1.1", 2, &history.AttemptStarted{Method: "primary"})
	if j.last != nil {
		t.Fatal(j.last)
	}
}

func TestFoldRefusesWhatCannotFollow(t *testing.T) {
	completed := func() *journal {
		return begun().
			add("1.1", 0, &history.StepStarted{}).
			add("1.1", 1, &history.AttemptStarted{}).
			add("1.1", 1, &history.AttemptEnded{}, &history.StepCompleted{})
	}
	question := &history.Asked{Question: ask.Question{ID: "q1"}}
	tests := map[string]*journal{
		"a run that starts with something else": (&journal{}).add("", 0, &history.Resumed{}),
		"a second start":                        begun().add("", 0, &history.Started{Envelope: &envelope.Envelope{}}),
		"a step that is not in the plan":        begun().add("9.9", 0, &history.StepStarted{}),
		"a step that starts twice":              completed().add("1.1", 0, &history.StepStarted{}),
		"a step that is completed twice":        completed().add("1.1", 1, &history.StepCompleted{}),
		"completion without an attempt": begun().add("1.1", 0, &history.StepStarted{},
			&history.StepCompleted{}),
		"an attempt out of order": begun().add("1.1", 0, &history.StepStarted{}).add("1.1", 2,
			&history.AttemptStarted{}),
		"the end of no attempt": begun().add("1.1", 0, &history.StepStarted{}).add("1.1", 1,
			&history.AttemptEnded{}),
		"an answer without a question": begun().add("", 0, &history.Answered{}),
		"two questions at once":        begun().add("1.1", 0, question, question),
		"an answer to another question": begun().add("1.1", 0, question,
			&history.Answered{Answer: ask.Answer{Question: "q2"}}),
		"a step after the end":    begun().add("", 0, &history.Ended{}).add("1.1", 0, &history.StepStarted{}),
		"anything after the seal": begun().add("", 0, &history.Ended{}, &history.Sealed{}, &history.Resumed{}),
		"a run's fact about a step": begun().add("1.1", 0, &history.StepStarted{}).add("1.1", 1,
			&history.AttemptStarted{}).add("1.1", 1, &history.Ended{}),
	}
	for name, j := range tests {
		t.Run(name, func(t *testing.T) {
			var order *history.OrderError
			if !errors.As(j.last, &order) {
				t.Errorf("got %v, want an *OrderError", j.last)
			}
		})
	}
}

func TestUnknownFact(t *testing.T) {
	_, err := history.Decode(record.Record{Seq: 7, Fact: record.Fact{Type: "from-the-future"}})
	var unknown *history.UnknownError
	if !errors.As(err, &unknown) || unknown.Seq != 7 {
		t.Errorf("got %v, want an *UnknownError for record 7", err)
	}
}

func TestSnapshotsOfFacts(t *testing.T) {
	to, discarded := record.Snapshot{Tree: "a"}, record.Snapshot{Tree: "b"}
	got := history.Snapshots(&history.RestoreBegun{To: to, Discarded: discarded})
	if diff := cmp.Diff([]record.Snapshot{to, discarded}, got); diff != "" {
		t.Error(diff)
	}
	if got := history.Snapshots(&history.Resumed{}); got != nil {
		t.Errorf("got %v, want none", got)
	}
}

func TestFoldOfAdvice(t *testing.T) {
	j := begun().
		add("1.1", 0, &history.StepStarted{}).
		add("1.1", 1, &history.AttemptStarted{Method: "primary"}).
		add("1.1", 1, &history.AttemptFailed{Class: history.Crashed}).
		add("1.1", 1, &history.Advised{Kind: "reflection", Point: "execution", Attempt: 1, Confidence: 0.9, Patch: "patch_1"},
			&history.Patched{ID: "patch_1", Attempt: "1.1#1", Method: history.PatchedMethod{Run: "true"}})
	if j.last != nil {
		t.Fatal(j.last)
	}
	s := j.run.Step("1.1")
	if a := s.Advice("reflection", "execution"); a == nil || a.Patch != "patch_1" {
		t.Errorf("the advice about attempt 1 is %+v, want one with patch_1", a)
	}
	if s.Advice("reflection", "approval") != nil || s.Advice("pivot", "execution") != nil {
		t.Error("there is advice that nobody gave")
	}
	j.add("1.1", 2, &history.AttemptStarted{Method: "patch_1"}, &history.AttemptFailed{Class: history.Crashed})
	if s.Advice("reflection", "execution") != nil {
		t.Error("advice about one failure counts for the next one")
	}
	j.add("1.1", 0, &history.RolledBack{To: "1.1"})
	if p := s.Patch("patch_1"); p == nil || p.Method.Run != "true" {
		t.Errorf("after a rollback the patch is %+v, want it kept, so that its id is not used again", p)
	}
}

// TestARollbackUndoesWhatWasDecidedAboutATask: what a person sets back is
// decided anew; what is set back for its evidence keeps its approval and its
// retries.
func TestARollbackUndoesWhatWasDecidedAboutATask(t *testing.T) {
	story := func(by string) *history.Run {
		j := begun().
			add("", 0, &history.Approval{Task: "1", Status: history.Approved}).
			add("1.1", 0, &history.StepStarted{}).
			add("1.1", 1, &history.AttemptStarted{Method: "primary"}, &history.AttemptEnded{},
				&history.StepCompleted{}).
			add("", 0, &history.Evidence{Task: "1"}, &history.EvidenceRetry{Task: "1", Retry: 1, Action: "regenerate"},
				&history.TaskOutcome{Task: "1", Status: history.Failed}).
			add("1.1", 0, &history.RolledBack{To: plan.Address("1.1"), Snapshot: record.Snapshot{Tree: "base"}, By: by})
		if j.last != nil {
			t.Fatal(j.last)
		}
		return &j.run
	}
	person := story("maria")
	if person.Task("1").Approval() != nil || person.Task("1").Evidence() != nil ||
		person.Task("1").EvidenceRetry() != nil ||
		person.Task("1").Outcome() != nil {
		t.Error("what was decided before a person's rollback still stands")
	}
	if len(person.Approvals) != 1 || !person.Approvals[0].Undone {
		t.Error("what was decided before a rollback is gone")
	}
	retry := story(history.ByEvidenceRetry)
	if retry.Task("1").Approval() == nil || retry.Task("1").Evidence() == nil ||
		retry.Task("1").Retries().Verification != 1 ||
		retry.Task("1").Outcome() != nil {
		t.Error("a retry for evidence forgot what it needs to end")
	}
}
