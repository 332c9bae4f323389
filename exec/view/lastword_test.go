package view_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/evidence"
)

// TestLastWordsStandInTheReport: what became of each task, its runs and artifacts, and the evidence that is lacking.
func TestLastWordsStandInTheReport(t *testing.T) {
	s := begin(t, limiter())
	s.add(1, "", 0, &history.Evidence{Task: "2", Kind: "experimental", Items: []evidence.Item{
		{Need: evidence.Need{Kind: evidence.Run, Name: "r2"}, State: evidence.Found},
		{Need: evidence.Need{Kind: evidence.File, Name: "b.json"}, State: evidence.Missing, Why: "it is empty"}}})
	s.add(1, "", 0, &history.TaskOutcome{Task: "2", Status: history.TaskFailedFinal, Reason: "its evidence is missing after all retries", Approval: history.ApprovedRetry,
		Execution: history.RetrySucceeded, Verification: history.VerificationFail, Attempts: 3, Runs: []string{"r1", "r2"}, Artifacts: []string{"b.json"}})
	s.add(1, "", 0, &history.TaskOutcome{Task: "1", Status: history.TaskCompleted, Reason: "approved and carried out", Execution: history.Succeeded,
		Verification: history.VerificationWaived, Attempts: 1})
	got := string(drawn(t, s.end(history.Partial), "report.md"))
	for _, want := range []string{
		"## What became of the tasks\n",
		"| 1 | completed: approved and carried out | - | SUCCEEDED | waived | 1 | - | - |\n| 2 | failed\\_final: its evidence is missing after all retries | approved\\_retry | " +
			"RETRY\\_SUCCEEDED | fail | 3 | `r1` `r2` | `b.json` |\n",
		"\nEvidence that is lacking:\n\n- task 2: file `b.json` is missing: it is empty\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the report does not say\n%s\n%s", want, got)
		}
	}
	if clean := string(drawn(t, clean(t), "report.md")); strings.Contains(clean, "What became") {
		t.Error("a run that nobody reviews has last words")
	}
}

// TestSummaryNamesRuns: summary.json has the last word about each task, with its runs and artifacts.
func TestSummaryNamesRuns(t *testing.T) {
	s := begin(t, limiter())
	s.add(1, "", 0, &history.TaskOutcome{Task: "1", Status: history.TaskFailed, Reason: "no evidence", Approval: history.Approved, Execution: history.Succeeded,
		Verification: history.VerificationFail, Attempts: 2, Runs: []string{"r1"}, Artifacts: []string{"a.json"}})
	var got struct {
		Tasks []map[string]any `json:"tasks"`
	}
	if err := json.Unmarshal(drawn(t, s.end(history.Partial), "summary.json"), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"task_id": "1", "title": "Build the limiter", "status": "failed", "status_reason": "no evidence", "approval": "approved",
		"execution": "SUCCEEDED", "verification": "fail", "attempts_total": 2.0, "run_ids": []any{"r1"}, "artifacts": []any{"a.json"}}
	if diff := cmp.Diff(want, got.Tasks[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
