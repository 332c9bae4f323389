package document_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats"
	"go.yaml.in/yaml/v3"
)

// drawn is one view of a story.
func drawn(t *testing.T, s *story, name string) []byte {
	t.Helper()
	for _, f := range draw(t, s.plan, s.fold()) {
		if strings.HasPrefix(f.Name, name) {
			return f.Content
		}
	}
	return nil
}

// TestCheckpointIsYAML reads the checkpoint of every story back, whatever words
// are in it.
func TestCheckpointIsYAML(t *testing.T) {
	type checkpoint struct {
		ID      string
		Created string `yaml:"created_at"`
		Reason  string
		Task    struct{ ID, Input, Mode string }

		Progress struct {
			Current   int `yaml:"current_phase"`
			Total     int `yaml:"total_phases"`
			Completed []struct {
				Phase          int
				Name, Evidence string
			}
		}
		Decisions []struct{ Question, Decision, Reason string }
		Files     struct{ Created, Modified []string }
		Tree      struct{ From, To, Diff string }
		Context   string `yaml:"context_summary"`
		Tokens    int64  `yaml:"tokens_used"`
		Evidence  []struct{ Step, Gate, Evidence string }
		Resume    struct {
			Can          bool `yaml:"can_resume"`
			Instructions string
		}
	}
	reasons := map[string]string{"waiting": "stuck", "handed-over": "handoff", "breach": "error", "clean": "task_complete",
		"running": "running"}
	for _, s := range stories {
		d := yaml.NewDecoder(bytes.NewReader(drawn(t, s.tell(t), "checkpoint.yaml")))
		d.KnownFields(true)
		var c checkpoint
		if err := d.Decode(&c); err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		if want := reasons[s.name]; want != "" && c.Reason != want {
			t.Errorf("%s: reason %s, want %s", s.name, c.Reason, want)
		}
		first := 1
		if c.Task.Mode == "DIRECT" { // it has no phases
			first = 0
		}
		if c.Progress.Current < first || c.Progress.Current > c.Progress.Total || c.Task.Input == "" || c.Tree.To == "" {
			t.Errorf("%s: got %+v", s.name, c)
		}
	}
}

// TestPendingActionsAreAPlan has planlock read what was left as a plan of the
// next cycle.
func TestPendingActionsAreAPlan(t *testing.T) {
	left := map[string][]string{"advised": {"2", "3"}, "breach": {"2", "3"}, "detours": {"3"},
		"refused": {"1", "2", "3"}, "hostile": {"2", "3"}, "reviewed": {"1", "2", "3"}}
	for _, s := range stories {
		text := drawn(t, s.tell(t), "pending_actions.json")
		if (text == nil) != (left[s.name] == nil) {
			t.Errorf("%s: %d bytes, want tasks %v", s.name, len(text), left[s.name])
			continue
		}
		if text == nil {
			continue
		}
		draft, err := formats.ReadBytes("pending_actions.json", text)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, task := range draft.Plan.Tasks {
			ids = append(ids, task.ID)
			if len(task.AcceptanceCriteria) == 0 && s.name != "hostile" { // its step says no more than its task
				t.Errorf("%s: task %s has no criteria", s.name, task.ID)
			}
		}
		if diff := cmp.Diff(left[s.name], ids); diff != "" {
			t.Errorf("%s: %s", s.name, diff)
		}
		for _, d := range draft.Found {
			if d.Severity == plan.Error {
				t.Errorf("%s: %v", s.name, d)
			}
		}
	}
}

// TestPendingActionsOverCycles: title, text and kind of a task that is left again
// and again stay its own, and nothing that planlock says of it gets among them.
func TestPendingActionsOverCycles(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*plan.Task)
		text   string
	}{
		"with a description": {func(task *plan.Task) { task.Description = "Wire it in. Mind the tests." },
			"Wire it in. Mind the tests."},
		"with a prompt": {func(task *plan.Task) { task.Steps[0].Prompt = "Wire it in, please." },
			"Wire it in, please."},
		"with a title": {func(*plan.Task) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := limiter()
			p.Tasks[1].Kind = "documentation"
			tt.change(&p.Tasks[1])
			for cycle := 1; cycle <= 3; cycle++ {
				s := firstTask(begin(t, p))
				s.add(5, "2.1", 1, &history.Advised{Kind: "reflection", Point: "execution", Note: "unknown"})
				exit := fmt.Sprintf("exit status %d", cycle)
				s.start("2.1", "primary").fail("2.1", 1, history.Crashed, exit)
				s.add(5, "2.1", 0, &history.StepFailed{Class: history.Crashed, Reasons: []string{exit}})
				s.add(5, "3.1", 0, &history.StepBlocked{By: "2.1", Why: "it needs 2.1"})
				text := drawn(t, s.end(history.Partial), "pending_actions.json")
				draft, err := formats.ReadBytes("pending_actions.json", text)
				if err != nil {
					t.Fatal(err)
				}
				got := draft.Plan.Tasks[0]
				if got.Title != "Use it" || got.Description != tt.text || got.Kind != "documentation" {
					t.Fatalf("cycle %d: %q, %q, %q\n%s", cycle, got.Title, got.Description, got.Kind, text)
				}
				why := 0
				for _, hint := range got.Hints {
					if strings.HasPrefix(hint, plan.LeftBefore) {
						why++
					}
				}
				if why != 1 || got.Hints[len(got.Hints)-1] != "mind the tests" && cycle > 1 {
					t.Fatalf("cycle %d: hints %q", cycle, got.Hints)
				}
				got.Hints = append(got.Hints, "mind the tests")
				p = limiter()
				p.Tasks[1].Hints = got.Hints
				p.Tasks[1].Title, p.Tasks[1].Description, p.Tasks[1].Kind = got.Title, got.Description, got.Kind
			}
		})
	}
}

// TestReflectionsAreLines reads each line as a document of its own.
func TestReflectionsAreLines(t *testing.T) {
	lines := bytes.Split(bytes.TrimSuffix(drawn(t, advised(t), "reflections.jsonl"), []byte("\n")), []byte("\n"))
	if len(lines) != 3 {
		t.Fatalf("%d lines, want 3: before the plan, before a task, and after a failure", len(lines))
	}
	for _, line := range lines {
		var got struct {
			Kind   string             `json:"kind"`
			Point  string             `json:"point"`
			Scores map[string]float64 `json:"risk_scores"`
		}
		want := map[string]int{"task": 6, "execution": 7} // the priority of another attempt, where one failed
		if err := json.Unmarshal(line, &got); err != nil || got.Kind == "" || len(got.Scores) != want[got.Point] {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestNotepadKeepsItsPace draws the notepad as often as the plan wants it.
func TestNotepadKeepsItsPace(t *testing.T) {
	for _, tt := range []struct{ often, has, hasNot string }{
		{"", "### Task 1\n", "### Step"},
		{"per_task", "### Task 1\n", "### Step"},
		{"per_step", "### Step 1.2 - 2026", "### Task 1"},
		{"end_only", "### Task 1\n", "at the end"},
	} {
		s := advised(t)
		if tt.often != "" {
			s.plan.Settings = []plan.Setting{{Key: "knowledge_capture.update_frequency", Value: plan.Value{Kind: "string", Text: tt.often}}}
		}
		got := string(drawn(t, s, "notepad"))
		if !strings.Contains(got, tt.has) || strings.Contains(got, tt.hasNot) {
			t.Errorf("%s: want %q, not %q:\n%s", tt.often, tt.has, tt.hasNot, got)
		}
	}
	off := advised(t)
	off.plan.Settings = []plan.Setting{{Key: "knowledge_capture.enabled", Value: plan.Value{Kind: "boolean", Text: "false"}}}
	if got := string(drawn(t, off, "notepad")); !strings.Contains(got, "### Task 1\n") {
		t.Errorf("a plan turned the notepad off: %s", got)
	}
	each := advised(t)
	each.plan.Settings = []plan.Setting{{Key: "knowledge_capture.update_frequency", Value: plan.Value{Kind: "string", Text: "per_step"}}}
	got := string(drawn(t, each, "notepad"))
	for _, at := range []string{"1.1", "1.2", "2.1"} {
		if !strings.Contains(got, "### Step "+at+" - 2026") {
			t.Errorf("step %s has no heading:\n%s", at, got)
		}
	}
	s := waiting(t)
	s.plan.Settings = []plan.Setting{{Key: "knowledge_capture.update_frequency",
		Value: plan.Value{Kind: "string", Text: "end_only"}}}
	if got := string(drawn(t, s, "notepad")); !strings.Contains(got, "at the end") || strings.Contains(got, "## Key") {
		t.Errorf("before the end: %s", got)
	}
	if got := string(drawn(t, s, "progress_limiter.json")); strings.Contains(got, "notepad_update") {
		t.Error("the log counts notes that are not written yet")
	}
	s.plan.Settings = nil
	if got := string(drawn(t, s, "progress_limiter.json")); strings.Contains(got, "notepad_update") {
		t.Error("the log counts notes of a task that is not over")
	}
	s.add(5, "2.1", 0, &history.StepFailed{Class: history.Crashed, Reasons: []string{"exit status 1"}})
	got = string(drawn(t, s, "progress_limiter.json"))
	if !strings.Contains(got, "notepad_update") || strings.Contains(got, `"ideas": 1`) {
		t.Errorf("the log has no notes of a task that is over, or ideas before the end: %s", got)
	}
}

// What a step taught is noted after it was over: the notepad that is kept waits
// for it, as it changes nothing later.
func TestKeptNotepadWaitsForTheLesson(t *testing.T) {
	for often, want := range map[string]string{"per_step": "| Step 2.1 |", "per_task": "| Task 2 |"} {
		s := firstTask(begin(t, limiter()))
		s.plan.Settings = []plan.Setting{{Key: "knowledge_capture.update_frequency", Value: plan.Value{Kind: "string", Text: often}}}
		q := question(s, "2.1", 0)
		q.Kind, q.Teaching = ask.Education, &ask.Teaching{Recommended: "primary"}
		s.add(1, "2.1", 0, &history.Asked{Question: q}).add(1, "2.1", 0, &history.Answered{Answer: ask.Answer{Question: q.ID, Choice: "r"}})
		s.start("2.1", "primary").work(900, "2.1", 1, "", modified("server/server.go")).accept("2.1", "primary")
		kept := func() string {
			m, err := document.New(s.plan, s.fold(), nil)
			if err != nil {
				t.Fatal(err)
			}
			return document.Into("", m, document.Entries(m))
		}
		if got := kept(); strings.Contains(got, want) {
			t.Errorf("%s: it is noted before its lesson:\n%s", often, got)
		}
		s.add(1, "2.1", 0, &history.Lesson{Question: q.ID, Recommended: "primary", Chosen: "primary", Used: "primary",
			Lesson: "a comment is enough", Status: history.Completed})
		if got := kept(); !strings.Contains(got, want) || !strings.Contains(got, "a comment is enough") {
			t.Errorf("%s: it has no lesson:\n%s", often, got)
		}
	}
}

// TestWhoTookTheDefault: a person who picked another mode did not take the
// default, and where nobody was asked nothing is said of it; of the thresholds of
// dynamic mode nothing is said by a run that did not measure.
func TestWhoTookTheDefault(t *testing.T) {
	for by, want := range map[string]string{"person": `"mode_default_accepted": false`, "host": ""} {
		s := firstTask(begin(t, limiter(), func(f *history.Started) { f.ModeBy, f.Policy.Mode = by, plan.Silent })).end(history.NotAchieved)
		if got := string(drawn(t, s, "progress_limiter.json")); !strings.Contains(got, want) ||
			want == "" && strings.Contains(got, "mode_default_accepted") {
			t.Errorf("%s: want %q:\n%s", by, want, got)
		}
		if got := string(drawn(t, s, "execution_learnings")); strings.Contains(got, "thresholds fit") ||
			!strings.Contains(got, "never in dynamic mode, but silent: nothing was measured") {
			t.Errorf("the learnings say what nobody measured:\n%s", got)
		}
	}
}

// TestViewsComeAndGo draws what is only of use before the end, or after it.
func TestViewsComeAndGo(t *testing.T) {
	for _, tt := range []struct {
		s    *story
		view string
		want bool
	}{
		{waiting(t), "next-session.md", true}, {handedOver(t), "next-session.md", true},
		{clean(t), "next-session.md", false},
		{waiting(t), "execution_learnings", false}, {clean(t), "execution_learnings_2026-11-20.md", true},
		{waiting(t), "stuck-report.md", true}, {breach(t), "stuck-report.md", true},
		{clean(t), "stuck-report.md", false},
		{clean(t), "pending_actions.json", false}, {clean(t), "reflections.jsonl", false}, {clean(t), "reflection_summary.md", false},
		{inFlight(t), "checkpoint-1.json", true}, {inFlight(t), "checkpoint-2.json", false},
	} {
		if got := drawn(t, tt.s, tt.view) != nil; got != tt.want {
			t.Errorf("%s: drawn %v", tt.view, got)
		}
	}
}

// TestATaskIsWhatTheJournalSays has a task of which only a step that is not
// critical failed: it is partial, and its failure is told all the same.
func TestATaskIsWhatTheJournalSays(t *testing.T) {
	s := firstTask(begin(t, limiter()))
	s.start("2.1", "primary").work(100, "2.1", 1, "").fail("2.1", 1, history.Crashed, "exit status 1")
	s.add(1, "2.1", 0, &history.StepFailed{Class: history.Crashed, Reasons: []string{"exit status 1"}})
	s.add(1, "", 0, &history.TaskOver{Task: "2", Status: history.PartlyDone, Reason: "step 2.1 failed"})
	s.end(history.Partial)
	summary := string(drawn(t, s, "SUMMARY.md"))
	if !strings.Contains(summary, "tasks_failed: 0") || !strings.Contains(summary, "### Step 2.1: Wire it into the server") ||
		!strings.Contains(summary, "## Failed tasks\n\nNone.\n\n## Tasks done in part\n") {
		t.Errorf("the summary does not tell of it as the journal does:\n%s", summary)
	}
	var progress struct {
		Tasks []struct {
			ID     string `json:"task_id"`
			Status string `json:"status"`
		} `json:"tasks"`
	}
	if err := json.Unmarshal(drawn(t, s, "progress_"), &progress); err != nil || progress.Tasks[1].Status != "partial" {
		t.Errorf("got %+v, %v", progress.Tasks, err)
	}
}
