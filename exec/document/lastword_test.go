package document_test

import (
	"encoding/json"
	"fmt"
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
	s.add(1, "", 0, &history.TaskOutcome{Task: "2", Status: history.FailedFinal,
		Reason: "its evidence is missing after all retries", Approval: history.ApprovedRetry,
		Execution: "RETRY_SUCCEEDED", Verification: "fail", Attempts: 3, Runs: []string{"r1", "r2"},
		Artifacts: []string{"b.json"}})
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

// TestATaskWhoseEvidenceIsAskedForAgainIsNotOver: no document says that it has
// ended, and none counts what it left, before the last word about it.
func TestATaskWhoseEvidenceIsAskedForAgainIsNotOver(t *testing.T) {
	s := firstTask(begin(t, limiter()))
	s.add(1, "", 0, &history.Evidence{Task: "1", Kind: "experimental", Items: []evidence.Item{
		{Need: evidence.Need{Kind: evidence.Run, Name: "r1"}, State: evidence.Missing, Why: "nobody knows it"}}})
	s.add(1, "", 0, &history.EvidenceRetry{Task: "1", Retry: 1, Action: "requery", Confidence: 0.8})
	log := string(drawn(t, s, "progress_limiter.json"))
	if !strings.Contains(log, `"status": "running",`) || strings.Contains(log, `"notepad_update"`) {
		t.Errorf("the log has the task as over:\n%s", log)
	}
	if got := string(drawn(t, s, "SUMMARY.md")); !strings.Contains(got, "(0 completed, 0 failed, 1 under way,") {
		t.Errorf("the summary has the task as over:\n%s", got)
	}
	if r := s.fold(); r.Task("1").Status() != history.InFlight {
		t.Errorf("the task is %s", r.Task("1").Status())
	}
	s.add(1, "", 0, &history.TaskOutcome{Task: "1", Status: history.FailedFinal, Reason: "nobody knows r1",
		Approval: history.Approved, Execution: "SUCCEEDED", Verification: "fail", Attempts: 1})
	if got := string(drawn(t, s, "SUMMARY.md")); !strings.Contains(got, "(0 completed, 1 failed, 0 skipped,") {
		t.Errorf("the summary does not have the task as failed:\n%s", got)
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

// Where there is no last word, the summary has what jobs named: of a step that
// failed its runs, as nothing else is left of it.
func TestSummaryNamesRunsWithoutALastWord(t *testing.T) {
	said := &history.Telemetry{Status: "SUCCEEDED", Runs: []string{"r1"}, Artifacts: []string{"a.json"}}
	s := begin(t, limiter()).start("1.1", "primary").work(700, "1.1", 1, "", created("server/limit_test.go"))
	s.add(1, "1.1", 1, said).prove("1.1", 1).accept("1.1", "primary").start("1.2", "primary").work(700, "1.2", 1, "")
	s.add(1, "1.2", 1, &history.Telemetry{Status: "FAILED", Runs: []string{"r1", "r2"}, Artifacts: []string{"b.json"}})
	s.fail("1.2", 1, history.Crashed, "exit status 3")
	var got struct {
		Tasks []struct {
			Runs      []string `json:"run_ids"`
			Artifacts []string `json:"artifacts"`
		} `json:"tasks"`
	}
	if err := json.Unmarshal(drawn(t, s, "summary.json"), &got); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got.Tasks[0]) != "{[r1 r2] [a.json]}" || fmt.Sprint(got.Tasks[1]) != "{[] []}" {
		t.Errorf("got %v", got.Tasks)
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
	for _, want := range []string{"it needs 1.2; mend 1.2; or plan without 1.2; or say that 1.2 will do |", "it needs 1.2 too; mend step 1.2 and run what is left of the plan |"} {
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

// TestTheLastWordGoesFirst: a task of which all steps were completed, and whose
// last word is that its evidence is missing, is completed in no document.
func TestTheLastWordGoesFirst(t *testing.T) {
	s := firstTask(begin(t, limiter()))
	s.start("2.1", "primary").work(900, "2.1", 1, "", modified("server/server.go")).accept("2.1", "primary")
	s.start("3.1", "primary").work(300, "3.1", 1, "", modified("README.md")).accept("3.1", "primary")
	for _, task := range []string{"1", "2", "3"} {
		s.add(1, "", 0, &history.TaskOver{Task: task, Status: history.Completed})
	}
	s.add(1, "", 0, &history.TaskOutcome{Task: "2", Status: history.FailedFinal, Execution: "SUCCEEDED",
		Reason: "its evidence is missing after all retries", Verification: "fail", Attempts: 1})
	s.end(history.Partial)
	summary := string(drawn(t, s, "SUMMARY.md"))
	for _, want := range []string{"tasks_completed: 2\n", "tasks_failed: 1\n",
		"| 2 | Use it | its evidence is missing after all retries | 1 |"} {
		if !strings.Contains(summary, want) {
			t.Errorf("the summary does not say %q:\n%s", want, summary)
		}
	}
	for file, wants := range map[string]map[string]any{
		"report.json": {"counts.tasks_completed": 2.0, "counts.tasks_failed": 1.0, "tasks.1.status": "failed_final",
			"kpis.completed": 2.0},
		"progress_limiter.json": {"speclet_progress.core.status": "failed", "tasks.1.status": "failed_final",
			"summary.completed_tasks": 2.0},
		"checkpoint-2.json": {"status": "failed", "validation_result": "fail",
			"error_message": "its evidence is missing after all retries"},
		"pending_actions.json": {"0.task_id": "2", "0.status": "failed_final"},
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
	if learned := string(drawn(t, s, "execution_learnings_2026-11-20.md")); strings.Contains(learned, "task 2 (Use it) went") {
		t.Errorf("it worked:\n%s", learned)
	}
}

// TestSpecletsOfARunThatWasHalted: what never began is neither completed nor in
// progress once the run has ended.
func TestSpecletsOfARunThatWasHalted(t *testing.T) {
	var doc any
	if err := json.Unmarshal(drawn(t, turnedAway(t), "progress_limiter.json"), &doc); err != nil {
		t.Fatal(err)
	}
	cut := firstTask(begin(t, limiter())).end(history.NotAchieved)
	var partly any
	if err := json.Unmarshal(drawn(t, cut, "progress_limiter.json"), &partly); err != nil {
		t.Fatal(err)
	}
	p := limiter()
	p.Speclets[0].Tasks, p.Speclets[1].Tasks = []string{"1"}, []string{"2", "3"}
	within := begin(t, p).start("1.1", "primary").work(1000, "1.1", 1, "done").accept("1.1", "primary").end(history.NotAchieved)
	var half any
	if err := json.Unmarshal(drawn(t, within, "progress_limiter.json"), &half); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		doc  any
		path string
		want any
	}{
		{half, "speclet_progress.core.status", "blocked"},
		{half, "speclet_progress.core.blocked_reason", "the run ended before all of it was carried out"},
		{half, "speclet_progress.core.tasks_partial.0", "1"},
		{doc, "speclet_progress.papers.status", "blocked"},
		{doc, "speclet_progress.papers.blocked", true},
		{doc, "speclet_progress.papers.blocked_reason", "dependency_failed: core is failed (step 1.1 failed)"},
		{doc, "speclet_progress.papers.started_at", nil},
		{partly, "speclet_progress.core.status", "blocked"},
		{partly, "speclet_progress.core.blocked_reason", "the run ended before all of it was carried out"},
		{partly, "speclet_progress.core.tasks_completed.0", "1"},
	} {
		if got, err := field(want.doc, want.path); err != nil || got != want.want {
			t.Errorf("%s is %v, want %v (%v)", want.path, got, want.want, err)
		}
	}
}

// TestSettledTasksNameWhatIsThere: the row of a task of which nothing was
// attempted, because its work was there, names the tree and no record.
func TestSettledTasksNameWhatIsThere(t *testing.T) {
	s := firstTask(begin(t, limiter()))
	s.add(1, "2.1", 0, &history.StepSkipped{By: "ana", Why: "it is there", Done: true})
	summary := string(drawn(t, s.end(history.Achieved), "SUMMARY.md"))
	want := "| 2 | Use it | 0.0 s | ana | `checkpoint-2.json` | `" + digest("after 1.2").Short() + "` |"
	if !strings.Contains(summary, want) {
		t.Errorf("the summary does not say %s:\n%s", want, summary)
	}
}
