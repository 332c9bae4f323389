package document_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// TestTaskCheckpoint holds every field of the checkpoints of tasks: one that
// was completed after a retry, one that failed, one that is blocked, and one
// that the end of the run cut off.
func TestTaskCheckpoint(t *testing.T) {
	const commit = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	repository := func(f *history.Started) {
		f.Git, f.Commit = ledger.GitState{"HEAD": digest("HEAD"), "index": digest("index")}, commit
	}
	s := begin(t, limiter(), repository)
	s.start("1.1", "primary").work(60_000, "1.1", 1, "", created("server/limit_test.go")).prove("1.1", 1).accept("1.1", "primary")
	s.start("1.2", "primary").work(700, "1.2", 1, "", created("server/limit.go")).fail("1.2", 1, history.Crashed, "exit status 1")
	s.attempt("1.2", 2, "primary").work(1000, "1.2", 2, "", created("server/limit.go"),
		modified("server/limit_test.go")).prove("1.2", 2).accept("1.2", "primary")
	s.start("2.1", "primary").work(900, "2.1", 1, "", modified("server/server.go")).fail("2.1", 1, history.GateFailed, "types")
	s.add(5, "2.1", 0, &history.StepFailed{Class: history.GateFailed, Reasons: []string{"types", "syntax"},
		Halts: true})
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
		{s, "1", taskCheckpoint{ID: "checkpoint-1", TaskID: "1", Status: "completed", GitHash: commit,
			Tree:     string(digest("after 1.2")),
			Modified: []string{"server/limit_test.go", "server/limit.go"}, Validation: "pass", Retries: 1,
			Seconds: 62}},
		{s, "2", taskCheckpoint{ID: "checkpoint-2", TaskID: "2", Status: "failed", GitHash: commit,
			Tree:     string(digest("after 1.2")),
			Modified: []string{}, Validation: "fail", Error: &broke, Seconds: 1}},
		{s, "3", taskCheckpoint{ID: "checkpoint-3", TaskID: "3", Status: "skipped", GitHash: commit,
			Tree:     string(digest("after 1.2")),
			Modified: []string{}, Validation: "skipped"}},
		{cut, "1", taskCheckpoint{ID: "checkpoint-1", TaskID: "1", Status: "partial", GitHash: commit,
			Tree:     string(digest("after 1.1")),
			Modified: []string{"server/limit_test.go"}, Validation: "skipped", Seconds: 60}},
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

// TestCheckpointReasons draws the checkpoint of a run before a switch of
// strategy, after it, and after the phase that followed, with the tokens that
// were used.
func TestCheckpointReasons(t *testing.T) {
	draw := func(s *story) string { return string(drawn(t, s, "checkpoint.yaml")) }
	holds := func(when, text string, want ...string) {
		t.Helper()
		for _, line := range want {
			if !strings.Contains(text, line+"\n") {
				t.Errorf("%s: want %s:\n%s", when, line, text)
			}
		}
	}
	s := begin(t, limiter())
	s.add(1, "", 0, &history.StrategySet{Strategy: history.Direct, Complexity: 1})
	s.start("1.1", "primary").add(5, "1.1", 1, &history.AttemptEnded{Tokens: 42}).accept("1.1", "primary")
	holds("direct", draw(s), `id: null`, `reason: "running"`, `  mode: "DIRECT"`, `  current_phase: null`, `  total_phases: 1`,
		`  completed: []`, `tokens_used: 42`, `  can_resume: true`)
	s.add(1, "", 0, &history.StrategySet{Strategy: history.Orchestrated, From: history.Direct, Complexity: 3,
		Planned: 1,
		Phases: []history.Phase{{Name: "task 1", Steps: []plan.Address{"1.2"}},
			{Name: "task 2", Steps: []plan.Address{"2.1"}}}})
	holds("switched", draw(s), `reason: "mode_switch"`, `  mode: "ORCHESTRATED"`, `  current_phase: 1`, `  total_phases: 2`)
	s.start("1.2", "primary").accept("1.2", "primary")
	s.add(1, "", 0, &history.PhaseOver{Phase: "task 1", Number: 1, Of: 2, Completed: 1})
	holds("a phase is over", draw(s), `reason: "phase_complete"`, `  current_phase: 1`)
	s.start("2.1", "primary")
	holds("the next one began", draw(s), `id: null`, `reason: "running"`, `  current_phase: 2`)
	s.accept("2.1", "primary")
	holds("ended, and nothing failed", draw(s.end(history.Partial)), `reason: "task_complete"`, `  can_resume: false`)

	p := limiter() // the summary of a long plan is short
	p.Goal = strings.Repeat("long ", 999)
	for range 99 {
		p.NonGoals = append(p.NonGoals, plan.NonGoal{Text: strings.Repeat("far ", 99)})
	}
	for line := range strings.Lines(draw(begin(t, p))) {
		if strings.HasPrefix(line, "context_summary") && (len(line) > 5000 || !strings.Contains(line, "more.")) {
			t.Errorf("%d bytes: %s", len(line), line)
		}
	}

	s = begin(t, limiter()) // the second phase ran beside the first, and is over before it
	s.add(1, "", 0, &history.StrategySet{Strategy: history.Orchestrated, Complexity: 3, Phases: []history.Phase{
		{Name: "task 1", Steps: []plan.Address{"1.1", "1.2"}}, {Name: "task 2", Steps: []plan.Address{"2.1"}}}})
	s.start("2.1", "primary").accept("2.1", "primary")
	s.add(1, "", 0, &history.PhaseOver{Phase: "task 2", Number: 2, Of: 2, Completed: 1})
	holds("the later phase is over", draw(s), `reason: "phase_complete"`, `  current_phase: 2`)
	s.start("1.1", "primary").fail("1.1", 1, history.Crashed, "exit status 1")
	holds("the earlier one is under way", draw(s), `  current_phase: 1`)
	holds("it ended there", draw(s.add(5, "1.1", 0, &history.StepFailed{Class: history.Crashed, Reasons: []string{"no"}}).
		end(history.NotAchieved)), `  current_phase: 2`)

	s = begin(t, limiter())
	s.add(1, "", 0, &history.StrategySet{Strategy: history.Orchestrated, Complexity: 3, Phases: []history.Phase{
		{Name: "task 1", Steps: []plan.Address{"1.1"}}, {Name: "task 2", Steps: []plan.Address{"2.1"}}}})
	s.start("1.1", "primary").fail("1.1", 1, history.Crashed, "exit status 1").
		add(5, "1.1", 0, &history.StepFailed{Class: history.Crashed, Reasons: []string{"no"}})
	s.add(1, "", 0, &history.PhaseOver{Phase: "task 1", Number: 1, Of: 2, Left: 1})
	holds("a phase failed", draw(s), `reason: "error"`, `  current_phase: 1`)

	s = begin(t, limiter())
	s.add(1, "", 0, &history.StrategySet{Strategy: history.Orchestrated, Complexity: 3,
		Phases: []history.Phase{{Name: "task 1", Steps: []plan.Address{"1.1"}}}})
	s.start("1.1", "primary").fail("1.1", 1, history.Crashed, "exit status 1").
		add(5, "1.1", 0, &history.StepSkipped{By: "ana", Why: "no tool"})
	s.add(1, "", 0, &history.PhaseOver{Phase: "task 1", Number: 1, Of: 1, Left: 1})
	holds("it failed, and was left out then", draw(s), `reason: "error"`, `  completed: []`)
	holds("ended, and that had failed", draw(s.end(history.Partial)), `reason: "error"`)

	s = begin(t, limiter()).start("1.1", "primary")
	holds("its controller died", draw(s.add(5, "", 0, &history.Resumed{Reason: "crash"})), `reason: "error"`)
}

// TestCompletedPhases: a phase is completed where its tasks are, or where what is
// left of them lies in a later phase.
func TestCompletedPhases(t *testing.T) {
	s := begin(t, limiter())
	s.add(1, "", 0, &history.StrategySet{Strategy: history.Orchestrated, Complexity: 3, Phases: []history.Phase{
		{Name: "first", Steps: []plan.Address{"1.1"}}, {Name: "second", Steps: []plan.Address{"1.2"}}}})
	s.start("1.1", "primary").accept("1.1", "primary")
	s.add(1, "", 0, &history.PhaseOver{Phase: "first", Number: 1, Of: 2, Completed: 1})
	if text := string(drawn(t, s, "checkpoint.yaml")); !strings.Contains(text, `evidence: "1 step completed, tree`) {
		t.Errorf("the rest of the task lies ahead, and the phase is not completed:\n%s", text)
	}
	s = begin(t, limiter())
	s.add(1, "", 0, &history.StrategySet{Strategy: history.Orchestrated, Complexity: 3, Phases: []history.Phase{
		{Name: "first", Steps: []plan.Address{"1.1", "1.2"}}, {Name: "second", Steps: []plan.Address{"2.1"}}}})
	s.start("1.1", "primary").accept("1.1", "primary")
	s.start("1.2", "primary").fail("1.2", 1, history.Crashed, "exit status 1").
		add(5, "1.2", 0, &history.StepFailed{Class: history.Crashed, Reasons: []string{"it crashed"}})
	s.add(1, "", 0, &history.PhaseOver{Phase: "first", Number: 1, Of: 2, Completed: 1, Left: 1})
	if text := string(drawn(t, s, "checkpoint.yaml")); !strings.Contains(text, "  completed: []\n") {
		t.Errorf("a phase is completed of which the task failed:\n%s", text)
	}
}

// TestEarlierCheckpoints draws each checkpoint of a run by its id as the run stood
// then, also once it was set back, and says as of now how to go on.
func TestEarlierCheckpoints(t *testing.T) {
	s := begin(t, limiter())
	s.add(1, "", 0, &history.StrategySet{Strategy: history.Orchestrated, Complexity: 3,
		Phases: []history.Phase{{Name: "task 1", Steps: []plan.Address{"1.1", "1.2"}}, {Name: "task 2", Steps: []plan.Address{"2.1"}}}})
	s.start("1.1", "primary").accept("1.1", "primary")
	s.start("1.2", "primary").work(700, "1.2", 1, "", created("server/limit.go")).accept("1.2", "primary")
	s.add(1, "", 0, &history.PhaseOver{Phase: "task 1", Number: 1, Of: 2, Completed: 2})
	s.start("2.1", "primary").fail("2.1", 1, history.Crashed, "exit status 1")
	run := s.fold()
	m, err := document.New(s.plan, run, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(run.Marks); got != 2 || run.Mark() != nil {
		t.Fatalf("%d marks, at %v", got, run.Mark())
	}
	if drawn(t, s, "chk-") != nil {
		t.Error("a checkpoint is drawn of which nothing is known")
	}
	m.Reread(func(seq uint64) (*plan.Plan, *history.Run, error) {
		then := *s
		then.records = s.records[:seq]
		return s.plan, then.fold(), nil
	})
	draw := func(id string) string {
		t.Helper()
		f, err := m.Checkpoint(id)
		var b strings.Builder
		if err == nil {
			err = f.Draw(&b)
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for i, want := range [][]string{
		{`reason: "starting"`, "  created: []", "0 of 4 steps", "current_phase: 1", "go on with it: resume run", "back to before step 1.1"},
		{`reason: "phase_complete"`, `- "server/limit.go"`, "2 of 4 steps", "current_phase: 1", "back to before step 2.1"},
	} {
		got := draw(run.Marks[i].ID)
		for _, line := range append(want, run.Marks[i].ID) {
			if !strings.Contains(got, line) {
				t.Errorf("%s: want %q:\n%s", run.Marks[i].ID, line, got)
			}
		}
	}
	var unknown *document.UnknownCheckpointError
	if _, err := m.Checkpoint("chk-1"); !errors.As(err, &unknown) || len(unknown.Known) != 2 {
		t.Errorf("got %v", err)
	}
}

// TestStuckReport finds all that was tried in the report: attempts, what led
// from one to the next, what advisors said, files, traces, and what might help.
func TestStuckReport(t *testing.T) {
	s := begin(t, limiter())
	s.start("1.1", "primary").work(700, "1.1", 1, "Traceback: no module named clip\n",
		created("server/limit_test.go")).fail("1.1", 1, history.Crashed, "exit status 1")
	s.add(5, "1.1", 1, &history.Recovery{Rung: "retry", Method: "primary", Why: "retry 1 of 3", Repeats: 1})
	s.attempt("1.1", 2, "primary").work(700, "1.1", 2, "Traceback: still none\n",
		created("server/other.go")).fail("1.1", 2, history.Crashed, "exit status 2")
	s.add(5, "1.1", 2, &history.Advised{Kind: "research", Point: "execution", Advisor: "researcher", Note: "2 of 2 words found", Confidence: 1,
		Findings: []string{"go.mod:3: require clip"}})
	s.add(5, "1.1", 2, &history.Advised{Kind: "pivot", Point: "execution", Advisor: "pivoter", Note: "use the vendored copy", Confidence: 0.8,
		Alternatives: []history.Approach{{Description: "use the vendored copy", Confidence: 0.8, Source: "memory"}}})
	s.attempt("1.1", 3, "primary").work(700, "1.1", 3, "").fail("1.1", 3, history.Crashed, "exit status 3")
	s.add(5, "1.1", 0, &history.StepFailed{Class: history.Crashed, Reasons: []string{"nothing else is left to try"},
		Halts: true})
	report := string(drawn(t, s.end(history.NotAchieved), "stuck-report.md"))
	for _, want := range []string{
		"### Problem\n\n- nothing else is left to try", "attempt 1, `primary`", "exit status 1", "then retry: retry 1 of 3", "attempt 2, `primary`", "exit status 2",
		"research by researcher: 2 of 2 words found", "found go.mod:3: require clip", "`server/limit_test.go`", "`server/other.go`",
		"of attempt 2:\nTraceback: still none", "use the vendored copy (0.80, memory)",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("the report does not say %q:\n%s", want, report)
		}
	}
}

// TestRefusedToGoOn: a report says why a run does not go on, and not merely that somebody
// is to have it go on.
func TestRefusedToGoOn(t *testing.T) {
	s := begin(t, limiter())
	s.start("1.1", "primary").accept("1.1", "primary")
	s.add(1, "", 0, &history.Paused{Why: "refused: context ctx.md moved (put it back)"})
	for _, name := range []string{"report.txt", "report.md"} {
		text := strings.Join(strings.Fields(string(drawn(t, s, name))), " ")
		if !strings.Contains(text, "It was refused to go on: context ctx.md moved (put it back). Then go on") {
			t.Errorf("%s does not say what moved:\n%s", name, text)
		}
	}
}
