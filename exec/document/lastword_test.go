package document_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/gate/review"
)

// TestLastWordsStandInTheReport: what became of each task, its runs and
// artifacts, and the evidence that is lacking.
func TestLastWordsStandInTheReport(t *testing.T) {
	s := begin(t, limiter())
	s.add(1, "", 0, &history.Evidence{Task: "2", Kind: "experimental", Items: []evidence.Item{
		{Need: evidence.Need{Kind: evidence.Run, Name: "r2"}, State: evidence.Found},
		{Need: evidence.Need{Kind: evidence.File, Name: "b.json"}, State: evidence.Missing, Why: "it is empty"}}})
	s.add(1, "", 0, &history.TaskOutcome{Task: "2", Status: history.FailedFinal, Reason: "its evidence is missing after all retries", Approval: history.ApprovedRetry,
		Execution: "RETRY_SUCCEEDED", Verification: "fail", Attempts: 3, Runs: []string{"r1", "r2"}, Artifacts: []string{"b.json"}})
	s.add(1, "", 0, &history.TaskOutcome{Task: "1", Status: history.Completed, Reason: "approved and carried out",
		Execution:    "SUCCEEDED",
		Verification: "waived", Attempts: 1})
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

// TestSummaryNamesRuns: summary.json has the last word about each task, with
// its runs and artifacts.
func TestSummaryNamesRuns(t *testing.T) {
	s := begin(t, limiter())
	s.add(1, "", 0, &history.TaskOutcome{Task: "1", Status: history.Failed, Reason: "no evidence",
		Approval: history.Approved, Execution: "SUCCEEDED",
		Verification: "fail", Attempts: 2, Runs: []string{"r1"}, Artifacts: []string{"a.json"}})
	var got struct {
		Tasks []map[string]any `json:"tasks"`
	}
	if err := json.Unmarshal(drawn(t, s.end(history.Partial), "summary.json"), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"task_id": "1", "title": "Build the limiter", "status": "failed", "status_reason": "no evidence", "approval": "approved",
		"execution": "SUCCEEDED", "verification": "fail", "attempts_total": 2.0, "run_ids": []any{"r1"},
		"artifacts": []any{"a.json"}}
	if diff := cmp.Diff(want, got.Tasks[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLastWordsStandInAllReports: the reports for programs and for browsers
// have what that for readers has, and who decided.
func TestLastWordsStandInAllReports(t *testing.T) {
	tell := func() *story {
		s := begin(t, limiter())
		s.add(1, "", 0, &history.Approval{Task: "1", Status: history.Rejected, Attempt: "1/approval#1",
			Reasons: []string{"too <large>"},
			Reviews: []review.Review{{Reviewer: "ops", Verdict: "reject", Critical: []string{"no tests"}}}})
		s.add(1, "", 0, &history.Evidence{Task: "1", Kind: "experimental", Items: []evidence.Item{
			{Need: evidence.Need{Kind: evidence.File, Name: "b.json"}, State: evidence.Missing, Why: "it is empty"}}})
		s.add(1, "", 0, &history.TaskOutcome{Task: "1", Status: history.Failed, Reason: "no evidence",
			Approval: history.Approved, Execution: "SUCCEEDED",
			Verification: "fail", Attempts: 2, Runs: []string{"r1"}})
		return s.end(history.Partial)
	}
	var doc any
	if err := json.Unmarshal(drawn(t, tell(), "report.json"), &doc); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]any{
		"task_outcomes.0.task_id": "1", "task_outcomes.0.status": "failed", "task_outcomes.0.verification": "fail", "task_outcomes.0.run_ids.0": "r1",
		"task_outcomes.0.lacking.0.name": "b.json", "evidence.0.task_id": "1", "evidence.0.pass": false, "evidence.0.undone": false,
		"approvals.0.task_id": "1", "approvals.0.verdicts.ops": "reject", "approvals.0.critical_flags.0": "ops: no tests", "approvals.0.reasons.0": "too <large>",
	} {
		if got, err := field(doc, path); err != nil || got != want {
			t.Errorf("%s is %v, want %v (%v)", path, got, want, err)
		}
	}
	page := string(drawn(t, tell(), "report.html"))
	for _, want := range []string{"What became of the tasks", "failed: no evidence<br><small>lacking</small> file <code>b.json</code> missing: it is empty", "<code>r1</code>",
		"Decisions of reviewers", "ops: reject", "too &lt;large&gt;", "ops: no tests"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if page := string(drawn(t, clean(t), "report.html")); strings.Contains(page, "What became") ||
		strings.Contains(page, "Decisions of") {
		t.Error("a run that nobody reviews has last words")
	}
}

// TestAllWaysToUnblockAreNamed: a step that is blocked names each way out, and
// where none was written down, the one that always is.
func TestAllWaysToUnblockAreNamed(t *testing.T) {
	s := begin(t, limiter())
	s.add(1, "2.1", 0, &history.StepBlocked{By: "1.2", Why: "it needs 1.2", Unblock: []string{"mend 1.2", "plan without 1.2", "say that 1.2 will do"}})
	s.add(1, "3.1", 0, &history.StepBlocked{By: "1.2", Why: "it needs 1.2 too"})
	s.end(history.Partial)
	summary := string(drawn(t, s, "SUMMARY.md"))
	for _, want := range []string{"it needs 1.2; mend 1.2; or plan without 1.2; or say that 1.2 will do |", "it needs 1.2 too; mend step 1.2 and run the plan again |"} {
		if !strings.Contains(summary, want) {
			t.Errorf("the summary does not say %q:\n%s", want, summary)
		}
	}
	var doc any
	if err := json.Unmarshal(drawn(t, s, "report.json"), &doc); err != nil {
		t.Fatal(err)
	}
	if got, err := field(doc, "tasks.1.steps.0.blocked.unblock.2"); err != nil || got != "say that 1.2 will do" {
		t.Errorf("the report names %v (%v)", got, err)
	}
}
