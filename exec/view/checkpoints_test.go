package view_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
)

// TestTaskCheckpoint holds every field of the checkpoints of tasks: one that was completed after a retry, one that failed, one that
// is blocked, and one that the end of the run cut off.
func TestTaskCheckpoint(t *testing.T) {
	head := digest("HEAD")
	repository := func(f *history.Started) { f.Git = ledger.GitState{"HEAD": head, "index": digest("index")} }
	s := begin(t, limiter(), repository)
	s.start("1.1", "primary").work(60_000, "1.1", 1, "", created("server/limit_test.go")).accept("1.1", "primary")
	s.start("1.2", "primary").work(700, "1.2", 1, "", created("server/limit.go")).fail("1.2", 1, history.Crashed, "exit status 1")
	s.attempt("1.2", 2, "primary").work(1000, "1.2", 2, "", created("server/limit.go"), modified("server/limit_test.go")).accept("1.2", "primary")
	s.start("2.1", "primary").work(900, "2.1", 1, "", modified("server/server.go")).fail("2.1", 1, history.GateFailed, "types")
	s.add(5, "2.1", 0, &history.StepFailed{Class: history.GateFailed, Reasons: []string{"types", "syntax"}, Halts: true})
	s.add(5, "3.1", 0, &history.StepBlocked{By: "2.1", Why: "it needs 2.1"})
	s.end(history.NotAchieved)

	cut := begin(t, limiter(), repository)
	cut.start("1.1", "primary").work(60_000, "1.1", 1, "", created("server/limit_test.go")).accept("1.1", "primary")
	cut.end(history.NotAchieved)

	broke := "types; syntax"
	for _, tt := range []struct {
		s    *story
		task string
		want taskCheckpoint
	}{
		{s, "1", taskCheckpoint{ID: "checkpoint-1", TaskID: "1", Status: "completed", GitHash: string(head), Tree: string(digest("after 1.2")),
			Modified: []string{"server/limit_test.go", "server/limit.go"}, Validation: "pass", Retries: 1, Seconds: 61}},
		{s, "2", taskCheckpoint{ID: "checkpoint-2", TaskID: "2", Status: "failed", GitHash: string(head), Tree: string(digest("base")),
			Modified: []string{}, Validation: "fail", Error: &broke}},
		{s, "3", taskCheckpoint{ID: "checkpoint-3", TaskID: "3", Status: "skipped", GitHash: string(head), Tree: string(digest("base")),
			Modified: []string{}, Validation: "skipped"}},
		{cut, "1", taskCheckpoint{ID: "checkpoint-1", TaskID: "1", Status: "partial", GitHash: string(head), Tree: string(digest("after 1.1")),
			Modified: []string{"server/limit_test.go"}, Validation: "skipped"}},
	} {
		var got taskCheckpoint
		if err := json.Unmarshal(drawn(t, tt.s, "checkpoint-"+tt.task), &got); err != nil {
			t.Fatal(err)
		}
		if at, err := time.Parse(time.RFC3339, got.Timestamp); err != nil || at.Before(s.fold().Begun) {
			t.Errorf("%s: the time is %q: %v", tt.want.Status, got.Timestamp, err)
		}
		got.Timestamp = ""
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.want.Status, diff)
		}
	}
	if drawn(t, cut, "checkpoint-2") != nil {
		t.Error("a task that never began has a checkpoint")
	}
}

// taskCheckpoint is the document as a tool of the phase workflow reads it.
type taskCheckpoint struct {
	ID         string   `json:"id"`
	Timestamp  string   `json:"timestamp"`
	TaskID     string   `json:"task_id"`
	Status     string   `json:"status"`
	GitHash    string   `json:"git_hash"`
	Tree       string   `json:"tree_digest"`
	Modified   []string `json:"files_modified"`
	Validation string   `json:"validation_result"`
	Retries    int      `json:"retry_count"`
	Error      *string  `json:"error_message"`
	Seconds    int      `json:"duration_seconds"`
}
