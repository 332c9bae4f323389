package document_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/review"
)

// TestWithoutAGoal: what has no goal is called by its name in every document.
func TestWithoutAGoal(t *testing.T) {
	p := limiter()
	p.Goal, p.Meta.Name = "", "weekly"
	s := firstTask(begin(t, p)).end(history.Partial)
	for _, name := range []string{"SUMMARY.md", "report.md", "report.txt", "notepad_", "execution_learnings_",
		"checkpoint.yaml", "report.html"} {
		if text := string(drawn(t, s, name)); !strings.Contains(text, "weekly") || strings.Contains(text, ": \n\n") ||
			strings.Contains(text, `: "",`) || strings.Contains(text, `input: ""`) {
			t.Errorf("%s: %.600s", name, text)
		}
	}
	if text := string(drawn(t, advised(t), "execution_learnings")); !strings.Contains(text, "was completed by a patch: less at a time") {
		t.Error(text)
	}
}

// TestTheTeamIsTold: contracts are read back as reviewers wrote them, what was
// undone is no draft any more, and a run without reviewers has no team.
func TestTheTeamIsTold(t *testing.T) {
	type job struct {
		ID, Entry string
		Args      map[string]int
	}
	var drafts []struct {
		Task      string `json:"task_id"`
		Patch     string `json:"patch_id"`
		Contracts map[string]struct {
			Verdict string
			Flags   map[string][]string
			Checks  map[string]any
			Jobs    []job `json:"proposed_jobs"`
		}
	}
	s := reviewed(t)
	if err := json.Unmarshal(drawn(t, s, "task_drafts.json"), &drafts); err != nil {
		t.Fatal(err)
	}
	if len(drafts) != 2 || drafts[0].Task != "2" || drafts[1].Patch != "patch_1" {
		t.Fatalf("%+v", drafts)
	}
	ops, quality := drafts[0].Contracts["ops"], drafts[0].Contracts["quality"]
	if ops.Verdict != "APPROVE" || ops.Jobs[0].Args["batch_size"] != 16 || ops.Checks["requirements_passed"] != true ||
		!slices.Equal(quality.Flags["critical"], []string{"no test"}) {
		t.Errorf("%+v", drafts[0])
	}
	status := string(drawn(t, s, "agent_status_report.md"))
	for _, want := range []string{"| ops | 3 | 3 | 0 | 0 | 0 | 3 |", "| quality | 3 | 1 | 1 | 1 | 1 | 0 |",
		"| shell | 2 | 1 | 1 | 0 | 1.2: failed |", "| reflection | 2 | 2 | 0 | 0 | 1.1: less at a time |"} {
		if !strings.Contains(status, want) {
			t.Errorf("%q is not in:\n%s", want, status)
		}
	}
	s.records = s.records[:len(s.records)-1]
	s.add(1, "1.1", 0, &history.RolledBack{To: "1.1", Snapshot: snapshot("before 1.1")})
	if text := string(drawn(t, s, "task_drafts.json")); strings.Contains(text, `"task_id": "1"`) {
		t.Errorf("a draft that was undone stands: %s", text)
	}
	if text := string(drawn(t, s, "agent_status_report.md")); !strings.Contains(text, "| shell | 2 |") {
		t.Errorf("what was undone is not counted: %s", text)
	}
	said := []review.Review{{Reviewer: "ops", Verdict: "APPROVE"}}
	s.add(1, "", 0, &history.Approval{Task: "2", Status: history.Rejected, Attempt: "2/approval#9", Reviews: said, Reasons: []string{"job a is not there"}})
	if text := string(drawn(t, s, "agent_status_report.md")); !strings.Contains(text, "not passed by the approval gate:\n\n- task 2: job a is not there\n") {
		t.Errorf("why an approved draft did not pass is not said: %s", text)
	}
	for _, name := range []string{"task_drafts.json", "executive_team_manifest.json", "agent_status_report.md"} {
		if drawn(t, clean(t), name) != nil {
			t.Errorf("a run without reviewers has %s", name)
		}
	}
}
