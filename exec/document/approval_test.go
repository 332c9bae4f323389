package document_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/review"
)

// TestApprovals: a line for each decision, patched drafts and decisions that
// were undone among them.
func TestApprovals(t *testing.T) {
	at := time.Date(2026, 1, 1, 10, 0, 0, 0, time.FixedZone("", 3600))
	job := review.Job{ID: "base", Entry: "run.py", Args: `{"batch_size":16}`, Artifacts: []string{"base.json"}}
	run := &history.Run{Begun: at, Approvals: []history.Approval{
		{Task: "1", Status: history.Rejected, Attempt: "1/approval#1", Decided: at, Undone: true, Reasons: []string{"infra: critical: no \u202ememory"},
			Reviews: []review.Review{{Reviewer: "ops", Verdict: "APPROVE", Jobs: []review.Job{job}},
				{Reviewer: "infra", Verdict: "REJECT", Critical: []string{"no \u202ememory"}}}},
		{Task: "1", Status: history.ApprovedRetry, Retry: 1, Attempt: "1/approval#2", Patch: "patch_1",
			Decided: at.Add(time.Second), Jobs: []review.Job{job},
			Reviews: []review.Review{{Reviewer: "ops", Verdict: "APPROVE", Jobs: []review.Job{job}},
				{Reviewer: "infra", Verdict: "APPROVE"}}},
		{Task: "2", Status: history.FailedRetry, Retry: 2, Attempt: "2/approval#3", Decided: at.Add(time.Minute),
			Terminal: "the limit of 2 retries is reached"},
	}}
	got, err := as(named("approval_gate.jsonl"), limiter(), run)
	if err != nil {
		t.Fatal(err)
	}
	again, err := as(named("approval_gate.jsonl"), limiter(), run)
	if err != nil || string(again) != string(got) {
		t.Errorf("drawn twice it differs: %v", err)
	}
	path := filepath.Join("testdata", "approval_gate.jsonl")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
	files, err := all(limiter(), &history.Run{Begun: at})
	if err != nil || slices.ContainsFunc(files, func(f drawnFile) bool { return f.Name == "approval_gate.jsonl" }) {
		t.Errorf("a run without reviewers has decisions, or none can be drawn: %v", err)
	}
}
