package document_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
)

// says requires words of documents, by file.
func says(t *testing.T, s *story, wants map[string][]string) {
	t.Helper()
	for file, words := range wants {
		text := string(drawn(t, s, file))
		for _, want := range words {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", file, want, text)
			}
		}
	}
}

// TestDecisionsSurviveARollback: questions and answers of before a rollback, who
// wanted it and why, and what moved and was accepted, stand in the documents.
func TestDecisionsSurviveARollback(t *testing.T) {
	s := firstTask(begin(t, limiter()))
	s.start("2.1", "primary").work(900, "2.1", 1, "no such file\n").fail("2.1", 1, history.Crashed, "exit status 1")
	q := question(s, "2.1", 1)
	s.add(5, "2.1", 1, &history.Asked{Question: q})
	s.add(5, "2.1", 1, &history.Answered{Answer: ask.Answer{Question: "q1", Choice: "b", By: "ana",
		Reason: "begin anew",
		At:     s.now}})
	s.add(5, "1.2", 0, &history.RolledBack{To: "1.2", Snapshot: snapshot("before 1.2"), By: "ana", Reason: "answer to q1: begin anew"})
	s.add(5, "", 0, &history.MovesAccepted{By: "ben", Moved: []string{"agent shell moved from 1 to 2"},
		Envelope: &envelope.Envelope{}})
	says(t, s, map[string][]string{
		"SUMMARY.md": {"- question q1, step 2.1 failed: ana answered b",
			"- the run was set back to before step 1.2 by ana: answer to q1: begin anew\n",
			"- ben let the run go on although agent shell moved from 1 to 2\n"},
		"report.txt": {"set back to before step 1.2 by ana: answer to q1: begin anew",
			"ben let the run go on although"},
		"report.md": {"| Rolled back | set back to before step 1.2 by ana: answer to q1: begin anew |", "| Moved | ben let",
			"question q1, step 2.1 failed: ana answered b"},
		"report.html":     {"set back to before step 1.2 by ana: answer to q1: begin anew", "ben let the run go on"},
		"checkpoint.yaml": {`reason: "begin anew"`, `reason: "set back to before step 1.2 by ana: answer to q1: begin anew"`, `"accepted by ben"`},
		"next-session.md": {"ana answered `b` to “step 2.1 failed”: begin anew",
			"set back to before step 1.2 by ana", "ben let"},
		"notepad_limiter.md": {"step 2.1: ana answered q1, b: begin anew"},
	})
	for file, wants := range map[string]map[string]any{
		"report.json": {"tasks.1.steps.0.questions.0.rolled_back": true, "tasks.1.steps.0.questions.0.answer.by": "ana",
			"rolled_back.0.reason": "answer to q1: begin anew", "moves_accepted.0.by": "ben"},
		"progress_limiter.json": {"tasks.1.steps.0.escalations.0.responded_by": "ana",
			"tasks.1.steps.0.escalations.0.response_reason": "begin anew",
			"summary.rollbacks.0.reason":                    "answer to q1: begin anew"},
	} {
		var doc any
		if err := json.Unmarshal(drawn(t, s, file), &doc); err != nil {
			t.Fatal(err)
		}
		for path, want := range wants {
			if got, err := field(doc, path); err != nil || got != want {
				t.Errorf("%s: %s is %v, want %v (%v)", file, path, got, want, err)
			}
		}
	}
}

// TestAQuestionThatARollbackEnds is not open any more.
func TestAQuestionThatARollbackEnds(t *testing.T) {
	s := waiting(t)
	s.add(5, "1.2", 0, &history.RolledBack{To: "1.2", Snapshot: snapshot("before 1.2")})
	says(t, s, map[string][]string{"SUMMARY.md": {"question q1, step 2.1 failed: no answer: the run was set back",
		"- the run was set back to before step 1.2\n"}})
	if len(s.fold().Questions()) > 0 || drawn(t, s, "stuck-report.md") != nil {
		t.Error("the question waits still")
	}
}

// TestADeviationThatWasAccepted is outside of the declarations, was accepted by
// somebody, and is neither a retry nor a method that did what it had failed to.
func TestADeviationThatWasAccepted(t *testing.T) {
	s := begin(t, limiter())
	extra := created("server/extra.go")
	s.start("1.1", "primary").work(700, "1.1", 1, "ok\n", created("server/limit_test.go"), extra).
		fail("1.1", 1, history.Breach, "server/extra.go was created, but not declared")
	q := question(s, "1.1", 1)
	s.add(5, "1.1", 1, &history.Asked{Question: q})
	s.add(5, "1.1", 1, &history.Answered{Answer: ask.Answer{Question: "q1", Choice: "a", By: "ana", At: s.now}})
	granted := history.Addendum{Step: "1.1", Question: "q1", Choice: "a", By: "ana",
		Artifacts: &ledger.Declared{Create: []string{extra.Path}}}.Seal(1, digest("plan"))
	s.add(0, "1.1", 0, &granted)
	s.add(0, "1.1", 1, &history.Recovery{Rung: "accept", Method: "primary", Why: "what it did was accepted by ana"})
	s.add(5, "1.1", 2, &history.AttemptStarted{Method: "primary", Reinstates: 1})
	declared := ledger.Declared{Create: []string{"server/limit_test.go", extra.Path}}
	changes := []ledger.Change{created("server/limit_test.go"), extra}
	s.add(20, "1.1", 2, &history.Accounted{Tree: digest("after 1.1"), Declared: declared, Changes: changes,
		Account: ledger.Reconcile(declared, changes, nil)}).accept("1.1", "primary")
	says(t, s, map[string][]string{
		"SUMMARY.md": {"- step 1.1: created `server/extra.go`, accepted by ana\n", "· 0 retries ·",
			"- step 1.1: what attempt 1 did was accepted after"},
		"notepad_limiter.md": {"what attempt 1 (`primary`) did was accepted as it was"},
	})
	if text := string(drawn(t, s, "notepad_limiter.md")); strings.Contains(text, "did it where") {
		t.Errorf("it did what it had failed to do:\n%s", text)
	}
}

// TestEachFailureBeforeASuccessIsNamed in the notepad.
func TestEachFailureBeforeASuccessIsNamed(t *testing.T) {
	s := begin(t, limiter())
	s.start("1.1", "primary").fail("1.1", 1, history.Crashed, "exit status 1")
	s.add(0, "1.1", 1, &history.Recovery{Rung: "retry", Method: "primary", Why: "retry 1 of 3"})
	s.add(5, "1.1", 2, &history.AttemptStarted{Method: "primary"}).fail("1.1", 2, history.Crashed, "exit status 1")
	s.add(0, "1.1", 2, &history.Recovery{Rung: "retry", Method: "primary", Why: "retry 2 of 3"})
	s.add(5, "1.1", 3, &history.AttemptStarted{Method: "primary"}).accept("1.1", "primary")
	says(t, s, map[string][]string{
		"notepad_limiter.md": {"`primary` did it in attempt 3, where attempt 1, attempt 2 had failed\n"},
	})
}
