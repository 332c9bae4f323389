package document_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// TestStuckReportSuggests what the question suggests; a lesson before a step is
// no trouble, and has no such report.
func TestStuckReportSuggests(t *testing.T) {
	s := firstTask(begin(t, limiter()))
	s.start("2.1", "primary").fail("2.1", 1, history.Crashed, "exit status 1")
	q := question(s, "2.1", 1)
	q.Evidence = append(q.Evidence, "suggestion: read its output")
	s.add(5, "2.1", 1, &history.Asked{Question: q})
	says(t, s, map[string][]string{"stuck-report.md": {"### Suggestions\n\n- read its output\n"}})
	waits := firstTask(begin(t, limiter())) // nothing failed here
	q = question(waits, "2.1", 0)
	waits.add(5, "2.1", 0, &history.Asked{Question: q})
	says(t, waits, map[string][]string{"stuck-report.md": {"### Problem\n\n- " + q.What + "\n- " + q.Evidence[0] + "\n"}})
	again := firstTask(begin(t, limiter())) // what was set back was tried, too
	again.start("2.1", "primary").fail("2.1", 1, history.Crashed, "exit status 1")
	again.add(5, "2.1", 0, &history.RolledBack{To: "2.1", Snapshot: snapshot("after 1.2"), By: "ana"})
	again.add(40, "2.1", 0, &history.StepStarted{Checkpoint: snapshot("after 1.2"), Decision: "proceed",
		Strategy: plan.HaltOnCritical})
	again.attempt("2.1", 2, "primary").fail("2.1", 2, history.Crashed, "exit status 2")
	again.add(5, "2.1", 2, &history.Asked{Question: question(again, "2.1", 2)})
	says(t, again, map[string][]string{"stuck-report.md": {"exit status 1; the run was set back since\n",
		"exit status 2\n"}})
	taught := firstTask(begin(t, limiter()))
	q = question(taught, "2.1", 0)
	q.Kind = ask.Education
	taught.add(5, "2.1", 0, &history.Asked{Question: q})
	if text := drawn(t, taught, "stuck-report.md"); text != nil {
		t.Errorf("nobody is stuck:\n%s", text)
	}
}

// TestReportCountsAll: what a run came to is told in full, in lines of the width of a report.
func TestReportCountsAll(t *testing.T) {
	s := firstTask(begin(t, limiter(), func(f *history.Started) { f.Policy.Budget = 20_000 * history.Dollar }))
	s.start("2.1", "primary").add(5, "2.1", 1, &history.AttemptEnded{Tokens: 4, Cost: 12_345_123_456}).fail("2.1", 1, history.Crashed, "exit status 1")
	s.add(5, "2.1", 1, &history.Recovery{Rung: "retry", Method: "primary", Why: "retry 1 of 1", Repeats: 1})
	s.attempt("2.1", 2, "primary").fail("2.1", 2, history.Crashed, "exit status 1")
	s.add(5, "2.1", 2, &history.Asked{Question: question(s, "2.1", 2)})
	s.add(5, "2.1", 0, &history.StepFailed{Class: history.Crashed, Reasons: []string{"exit status 1"}})
	text := string(drawn(t, s.end(history.NotAchieved), "report.txt"))
	if !strings.Contains(strings.Join(strings.Fields(text), " "), "1 retry · 0 backups · 1 question · $12345.123456 of $20000.00") {
		t.Errorf("the cost is not told in full:\n%s", text)
	}
	for line := range strings.Lines(text) {
		if n := len([]rune(line)); n > 101 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// TestReportNamesFiles: the report for terminals names what was created and
// modified, a dozen of each.
func TestReportNamesFiles(t *testing.T) {
	says(t, clean(t), map[string][]string{"report.txt": {
		"\n   created   server/limit.go, server/limit_test.go\n   modified  README.md, go.mod, server/server.go\n"}})
}

// TestNothingSaidIsNothingExpected: of a step of an observing run that declares
// nothing, no change was expected, or missed.
func TestNothingSaidIsNothingExpected(t *testing.T) {
	p := limiter()
	p.Profile = plan.Observe
	p.Tasks[0].Steps[0].Artifacts = nil
	s := begin(t, p)
	s.start("1.1", "primary").work(700, "1.1", 1, "no\n", created("a.txt")).fail("1.1", 1, history.Crashed, "exit status 1")
	s.add(5, "1.1", 0, &history.StepFailed{Class: history.Crashed, Reasons: []string{"exit status 1"}})
	s.end(history.NotAchieved)
	for _, file := range []string{"report.txt", "report.md", "SUMMARY.md"} {
		if text := string(drawn(t, s, file)); strings.Contains(text, "no change") || strings.Contains(text, "not declared") {
			t.Errorf("%s:\n%s", file, text)
		}
	}
}

// TestNotesOfExecutors: what they say that they learned and decided is in the
// notepad, that of attempts that failed too.
func TestNotesOfExecutors(t *testing.T) {
	s := begin(t, limiter()).start("1.1", "primary")
	s.add(700, "1.1", 1, &history.AttemptEnded{Error: "no", Insights: []string{"clocks are *coarse*"}})
	s.fail("1.1", 1, history.Crashed, "no")
	s.add(5, "1.1", 2, &history.AttemptStarted{Method: "primary"})
	s.add(700, "1.1", 2, &history.AttemptEnded{Decisions: []string{"one bucket per client"}})
	says(t, s, map[string][]string{"notepad": {
		"## Key insights\n\n### Task 1\n\n- step 1.1: clocks are \\*coarse\\* (said in attempt 1)\n",
		"## Decisions\n\n### Task 1\n\n- step 1.1: one bucket per client (said in attempt 2)\n"}})
	for _, tt := range []struct {
		said history.AttemptEnded
		want string
	}{
		{history.AttemptEnded{Decisions: []string{"one bucket per client"}}, `"technical_notes": 1,`},
		{history.AttemptEnded{}, ""},
	} {
		s = begin(t, limiter()).start("1.1", "primary").add(700, "1.1", 1, &tt.said).accept("1.1", "primary")
		s.end(history.Partial)
		_, notes, _ := strings.Cut(string(drawn(t, s, "progress_limiter.json")), `"notepad_update": {`)
		if notes, _, _ = strings.Cut(notes, "}"); !strings.Contains(notes, tt.want) || tt.want == "" && notes != "" {
			t.Errorf("want %q of the notes of a task: %s", tt.want, notes)
		}
	}
}

// TestNotesNameTheirStep, and answers what was chosen.
func TestNotesNameTheirStep(t *testing.T) {
	s := begin(t, limiter())
	s.start("1.1", "primary").work(700, "1.1", 1, "no\n").fail("1.1", 1, history.Crashed, "exit status 1")
	q := question(s, "1.1", 1)
	s.add(5, "1.1", 1, &history.Asked{Question: q})
	s.add(5, "1.1", 1, &history.Answered{Answer: ask.Answer{Question: "q1", Choice: "s", By: "ana", Reason: "enough",
		At: s.now}})
	left := history.Addendum{Step: "1.1", Question: "q1", Choice: "s", Reason: "enough", By: "ana"}.Seal(1, digest("plan"))
	s.add(0, "1.1", 0, &left).add(0, "1.1", 0, &history.StepSkipped{By: "ana", Why: "answer to q1: enough"})
	s.end(history.Partial)
	says(t, s, map[string][]string{"notepad_limiter.md": {"- step 1.1: attempt 1 (`primary`) failed",
		"- step 1.1: ana answered q1, stop here: enough", "in answer to q1: stop here: enough"}})
	var doc any
	if err := json.Unmarshal(drawn(t, s, "progress_limiter.json"), &doc); err != nil {
		t.Fatal(err)
	}
	if got, err := field(doc, "summary.critical_errors.0.message"); err != nil || got != "exit status 1; left out by ana" {
		t.Errorf("a critical step that failed and was left out: %v, %v", got, err)
	}
}

// TestWhatIsLeftIsFinished: a run that ended with a part done says how another one
// finishes it; run again as it is, the plan would find its own work.
func TestWhatIsLeftIsFinished(t *testing.T) {
	says(t, breach(t), map[string][]string{"SUMMARY.md": {
		"nothing runs twice: run the plan and take over what run 01JD3Z8Q6V5C7T2M9K4XWBRN0E completed, once the plan is locked again"}})
	for _, s := range stories {
		if text := string(drawn(t, s.tell(t), "SUMMARY.md")); strings.Contains(text, "run the plan again") {
			t.Errorf("%s: steps that are done would find their work:\n%s", s.name, text)
		}
	}
}

// What jobs said in numbers stands in the report beside what executors report,
// whose word goes first.
func TestMetricsOfJobsAreShown(t *testing.T) {
	s := begin(t, limiter()).start("1.1", "primary").work(700, "1.1", 1, "ok\n", created("server/limit_test.go"))
	s.add(1, "1.1", 1, &history.Telemetry{Status: "SUCCEEDED", Metrics: map[string]float64{"loss": 0.5, "cost": 9}})
	var doc struct {
		Tasks []struct {
			Steps []struct {
				Attempts []struct {
					Said struct {
						Metrics []struct {
							Name  string
							Value float64
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal(drawn(t, s, "report.json"), &doc); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(doc.Tasks[0].Steps[0].Attempts[0].Said.Metrics)
	if want := "[{cost 2} {loss 0.5} {score 0.75}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Constraints that a step names are named in the log, as judged by nobody.
func TestNamedConstraintsAreNamed(t *testing.T) {
	p := limiter()
	p.Tasks[0].Steps[0].Constraints = []string{"latency", "constraints.memory"}
	s := begin(t, p).start("1.1", "primary").work(700, "1.1", 1, "ok\n", created("server/limit_test.go"))
	log := string(drawn(t, s, "progress_limiter.json"))
	for _, want := range []string{`"constraints.latency": null`, `"constraints.memory": null`} {
		if !strings.Contains(log, want) {
			t.Errorf("no %s", want)
		}
	}
}

// A blocked step of which the task is called the same is called so once.
func TestBlockedStepsAreCalledOnce(t *testing.T) {
	p := limiter()
	p.Tasks[1].Title, p.Tasks[1].Steps[0].Description = "Wire it in", "Wire it in"
	s := begin(t, p)
	s.add(5, "2.1", 0, &history.StepBlocked{By: "1.1", Why: "it needs 1.1"})
	if text := string(drawn(t, s, "SUMMARY.md")); !strings.Contains(text, "| 2.1 | Wire it in | ") {
		t.Error(text)
	}
}
